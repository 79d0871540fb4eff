import assert from "node:assert/strict"
import { test } from "node:test"

import {
  explained, intervalsOf, inWords, placeInWords,
} from "../../../ui/operating_point/explorer/browser/panel.js"

const WORDS = {
  thresholds: [["Threshold of card", "≥ 0.5"], ["Threshold of device", "never"]],
  counts: [["Caught (TP)", "120"], ["False alerts (FP)", "30"]],
  rates: [["Precision", "80 %"]],
  warning: null,
  guarantee: null,
}

test("the point is described with its warning and guarantee", () => {
  const numbers = "20 %. Caught (TP) 120, False alerts (FP) 30, Threshold of card ≥ 0.5, Threshold of device never. "
  assert.equal(inWords(20, WORDS).trim(), numbers.trim())
  const more = { ...WORDS, warning: ["At the floor.", "Lower it."], guarantee: "At least 70 %." }
  assert.equal(inWords(20, more), `${numbers}At the floor. Lower it. At least 70 %.`)
})

test("a chart is described by where the point is in it", () => {
  assert.equal(placeInWords("plane", WORDS), "Chosen point at TP 120, FP 30.")
  assert.equal(placeInWords("space", WORDS), "Chosen point at Threshold of card ≥ 0.5, Threshold of device never.")
})

test("an explanation has the values on the screen", () => {
  assert.equal(explained("{Caught (TP)} of them; {Precision}.", WORDS), "120 of them; 80 %.")
  assert.equal(explained("", WORDS), "")
})

test("intervals are shown with the point that they are of", () => {
  const intervals = { percent: 20, by_hand: false, words: { Precision: "70 to 90 %" } }
  assert.deepEqual(intervalsOf(intervals, 20, false), intervals.words)
  for (const other of [[30, false], [20, true]]) assert.deepEqual(intervalsOf(intervals, ...other), {})
  assert.deepEqual(intervalsOf(null, 20, false), {})
})
