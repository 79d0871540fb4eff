import assert from "node:assert/strict"
import { test } from "node:test"

import { coordinates, Marks, markTraces, pointsOf } from "../../../ui/operating_point/explorer/browser/marks.js"

const ROW = { x: [0.1, 0.2], y: [0.3, 0.4], fp: [5, 6], tp: [7, 8], tangent: [[0, 10], [1, 9]] }
const trace = follows => ({ name: "mark", meta: { follows } })

test("coordinates follow the columns that a mark names, in the order of the axes", () => {
  assert.deepEqual(coordinates(trace(["fp", "tp"]), ROW), { x: [5, 6], y: [7, 8] })
  assert.deepEqual(coordinates(trace(["x", "y", "tp"]), ROW), { x: [0.1, 0.2], y: [0.3, 0.4], z: [7, 8] })
  assert.deepEqual(coordinates(trace("tangent"), ROW), { x: [0, 10], y: [1, 9] })
  assert.deepEqual(coordinates(trace("x"), ROW), { x: [0.2, 0.2] })
  assert.deepEqual(coordinates(trace("y"), ROW), { x: [0.4, 0.4] })
  assert.deepEqual(coordinates(trace("x"), { ...ROW, x: [0.1, null] }), { x: [null, null] })
})

test("points have the colours of their methods, and the last is the chosen one", () => {
  const key = [{ name: "smooth", colour: "red" }, { name: "graph", colour: "blue" }]
  assert.deepEqual(pointsOf(key, ["graph", "smooth"]), [
    { colour: "blue", chosen: false }, { colour: "red", chosen: true },
  ])
})

/** A Plotly that keeps what it is told to change. */
function plotly() {
  const changes = []
  let finish
  globalThis.Plotly = {
    restyle: (_, ...change) => { changes.push(change); return new Promise(done => { finish = done }) },
  }
  return { changes, finish: async () => { finish(); await new Promise(setImmediate) } }
}

const parts = present => ({ traces: [trace("tangent"), trace(["fp", "tp"])], ink: "black", present })

test("marks as traces stand at their row, above the present point", () => {
  const drawn = markTraces(parts({ ...ROW, fp: [5, 60], tp: [7, 80] }), ROW)
  assert.deepEqual(drawn.map(({ x, y }) => [x, y]), [[[60], [80]], [[0, 10], [1, 9]], [[5, 6], [7, 8]]])
  assert.equal(markTraces(parts(null), ROW).length, 2)
})

test("marks as traces move one row after the other, and skip those that a later one overtook", async () => {
  const told = plotly()
  const layer = { append: () => {}, remove: () => { layer.isRemoved = true }, setAttribute: () => {} }
  globalThis.document = { createElementNS: () => layer }
  const marks = new Marks({ appendChild: made => made }, { element: { data: Array(5).fill({}) } })
  marks.areTraces = true
  marks.make(parts(null))
  const first = marks.move({ ...ROW, tp: [0, 1] })
  await new Promise(setImmediate)
  const moved = [2, 3].map(tp => marks.move({ ...ROW, tp: [0, tp] }))
  assert.deepEqual([told.changes.length, layer.isRemoved], [1, true])
  for (let change = 0; change < 2; change++) await told.finish()
  await Promise.all([first, ...moved])
  assert.deepEqual(told.changes.map(([{ y }, places]) => [y, places]), [
    [[[1, 9], [0, 1]], [3, 4]], [[[1, 9], [0, 3]], [3, 4]],
  ])
})
