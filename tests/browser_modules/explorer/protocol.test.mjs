import assert from "node:assert/strict"
import { describe, test } from "node:test"

import {
  checked, Choice, clamped, CONTRACT, MILLISECONDS_OF_REST, MAX_TEXTS, pickedThresholds, rowAt, targetNear, Texts,
  withoutHidden,
} from "../../../ui/operating_point/explorer/browser/protocol.js"

const row = (price = "20") => ({ price, x: [0.1, 0.2], y: [0.3, 0.4], fp: [5, 6], tp: [7, 8] })
const table = (more = {}) => ({
  percents: [10, 20, 30], lowest: 10, highest: 30, step: 10, methods: ["graph", "smooth"],
  rows: [row("10"), row("20"), row("30")], certified: null, ...more,
})
const message = (percent, acknowledged, more = {}) => ({
  contract: CONTRACT, percent, acknowledged, table: JSON.stringify(table()), hand: null, goal: "", ...more,
})

function chosen(first = message(20, 0)) {
  const choice = new Choice()
  const sent = []
  choice.send = (event, value) => sent.push([event, value])
  choice.take(first)
  return { choice, sent }
}

test("a row is found by its target", () => {
  assert.equal(rowAt(table(), 30).price, "30")
  assert.equal(rowAt(table(), 25), undefined)
})

test("hidden methods have no point, and the chosen one, which is last, always has", () => {
  const whole = row()
  assert.equal(withoutHidden(whole, ["graph", "smooth"], new Set()), whole)
  const left = withoutHidden(whole, ["graph", "smooth"], new Set(["graph", "smooth"]))
  assert.deepEqual([left.x, left.y, left.fp, left.tp], [[null, 0.2], [null, 0.4], [null, 6], [null, 8]])
  assert.equal(left.price, "20")
  assert.deepEqual(whole, row())
})

for (const [typed, expected] of [
  ["12.345", 12.35], ["25", 25], ["0.1", 10], ["99", 30], ["-5", 10], ["", 20], ["abc", 20], ["Infinity", 20], ["NaN", 20],
]) test(`'${typed}' in the box is ${expected} %`, () => assert.equal(clamped(typed, 20, table()), expected))

describe("a click", () => {
  const space = { pair: [0, 2], thresholds: [0.1, null, 0.3] }
  test("in threshold space sets the two thresholds that are drawn", () => {
    assert.deepEqual(pickedThresholds("space", { x: 0.7, y: 0.8 }, space), [0.7, null, 0.8])
    assert.deepEqual(space.thresholds, [0.1, null, 0.3])
  })
  test("in the space of a single classifier sets its threshold", () => {
    assert.deepEqual(pickedThresholds("space", { x: 0.7, y: 55 }, { pair: [0, 1], thresholds: [0.1] }), [0.7])
  })
  const figure = { toPixels: (x, y) => [10 * x, 100 - y] }
  const at = (fp, tp) => ({ fp: [0, fp], tp: [90, tp], x: [null, 0.5], y: [null, null] })
  const curves = { ...table(), rows: [at(20, 80), at(10, 60), at(5, 30)] }
  const plane = ({ fp, tp }) => [fp, tp]
  test("on a curve means the nearest target, also between two of them", () => {
    for (const [place, percent] of [[[200, 20], 10], [[130, 32], 20], [[180, 26], 10], [[50, 75], 30]]) {
      assert.equal(targetNear(curves, new Set(["graph"]), plane, figure, place), percent)
    }
  })
  test("off all curves means no target", () => {
    assert.equal(targetNear(curves, new Set(["graph"]), plane, figure, [100, 90]), undefined)
    assert.equal(targetNear(curves, new Set(), ({ x, y }) => [x, y], figure, [5, 5]), undefined)
  })
  test("on a hidden curve means nothing, on another method's its target", () => {
    assert.equal(targetNear(curves, new Set(["graph"]), plane, figure, [0, 10]), undefined)
    assert.equal(targetNear(curves, new Set(), plane, figure, [0, 10]), 10)
  })
  test("elsewhere sets nothing", () => {
    assert.equal(pickedThresholds("plane", { x: 1, y: 2 }, space), undefined)
    assert.equal(pickedThresholds("tp", { x: 1, y: 2 }, space), undefined)
  })
})

describe("a message", () => {
  test("of the agreed contract is taken as it is", () => {
    const sent = message(20, 0)
    assert.equal(checked(sent), sent)
  })
  for (const contract of [undefined, null, CONTRACT - 1, `${CONTRACT}`]) {
    test(`of contract ${JSON.stringify(contract)} is refused`, () => {
      assert.throws(() => checked({ ...message(20, 0), contract }), new RegExp(`contract ${contract} instead`))
    })
  }
  test("that is none at all is refused", () => {
    for (const nothing of [null, undefined, "text"]) assert.throws(() => checked(nothing), TypeError)
  })
})

describe("the user's choice", () => {
  test("starts as Python says, and follows it where Python has acknowledged every event", () => {
    const { choice } = chosen(message(20, 3, { goal: "costs", hand: row("hand") }))
    assert.deepEqual([choice.percent, choice.goal, choice.row.price], [20, "costs", "hand"])
    choice.take(message(30, 3))
    assert.deepEqual([choice.percent, choice.goal, choice.row.price], [30, "", "30"])
  })
  test("stands until Python has acknowledged it", () => {
    const { choice } = chosen(message(20, 3, { goal: "costs", hand: row("hand") }))
    choice.move(10)
    choice.move(30)
    for (const late of [message(20, 3, { hand: row("hand") }), message(10, 4, { goal: "costs" })]) {
      choice.take(late)
      assert.deepEqual([choice.percent, choice.goal, choice.row.price], [30, "", "30"])
    }
    choice.take(message(20, 5))
    assert.equal(choice.percent, 20)
  })
  test("gives way to a new session of Python, which counts anew", () => {
    const { choice } = chosen(message(20, 7))
    choice.move(30)
    choice.take(message(10, 0))
    assert.deepEqual([choice.percent, choice.isUnsent], [10, false])
  })
  test("gives way where the new table has no row for it", () => {
    const { choice } = chosen()
    choice.move(10)
    const rest = table({ percents: [20, 30], rows: [row("20"), row("30")] })
    choice.take(message(30, 0, { table: JSON.stringify(rest) }))
    assert.equal(choice.percent, 30)
  })
  test("a table whose text has not changed is the same table", () => {
    const { choice } = chosen()
    const before = choice.table
    choice.take(message(30, 0))
    assert.equal(choice.table, before)
  })
})

describe("Python hears", () => {
  test("of the last of several moves, once, after a rest", context => {
    context.mock.timers.enable({ apis: ["setTimeout"] })
    const { choice, sent } = chosen(message(20, 3))
    for (const percent of [30, 10]) {
      choice.move(percent)
      choice.release()
      context.mock.timers.tick(MILLISECONDS_OF_REST - 1)
    }
    assert.deepEqual([sent, choice.isUnsent], [[], true])
    context.mock.timers.tick(1)
    assert.deepEqual([sent, choice.isUnsent], [[["moved", [10, 5, []]]], false])
    context.mock.timers.tick(10 * MILLISECONDS_OF_REST)
    assert.equal(sent.length, 1)
  })
  test("at once of a target that is not in the table, and the shown one stays meanwhile", context => {
    context.mock.timers.enable({ apis: ["setTimeout"] })
    const { choice, sent } = chosen()
    choice.move(30)
    choice.release()
    choice.ask("moved", 12.34)
    context.mock.timers.tick(MILLISECONDS_OF_REST)
    assert.deepEqual([sent, choice.percent, choice.isUnsent], [[["moved", [12.34, 2, []]]], 30, false])
  })
  test("of thresholds set by hand instead of a target that was on its way", context => {
    context.mock.timers.enable({ apis: ["setTimeout"] })
    const { choice, sent } = chosen()
    choice.move(30)
    choice.release()
    choice.ask("picked", [0.5, null])
    context.mock.timers.tick(MILLISECONDS_OF_REST)
    assert.deepEqual([sent, choice.isUnsent], [[["picked", [[0.5, null], 2, []]]], false])
  })
  test("of nothing once the explorer is left", context => {
    context.mock.timers.enable({ apis: ["setTimeout"] })
    const { choice, sent } = chosen()
    choice.move(30)
    choice.release()
    choice.stop()
    context.mock.timers.tick(MILLISECONDS_OF_REST)
    assert.deepEqual(sent, [])
  })
})


describe("long texts", () => {
  const named = (texts, more = {}) => ({
    contract: CONTRACT, table: "t", texts,
    charts: { space: { traces: ["a", "b"], layout: "l", marks: ["m"] }, tp: { traces: [], layout: "", marks: [] } }, ...more,
  })
  const all = { t: "table", a: "first", b: "second", l: "layout" }
  test("stand where their names stood, and none where there was no name", () => {
    const filled = new Texts().filled(named(all))
    assert.equal(filled.table, "table")
    assert.deepEqual(filled.charts.space, { traces: ["first", "second"], layout: "layout", marks: ["m"] })
    assert.deepEqual(filled.charts.tp, { traces: [], layout: "", marks: [] })
  })
  test("need not be sent again", () => {
    const texts = new Texts()
    texts.filled(named(all))
    const { table, charts } = texts.filled(named({ c: "third" }, { charts: { space: { traces: ["c", "b"], layout: "l" } } }))
    assert.deepEqual([table, charts.space.traces], ["table", ["third", "second"]])
    assert.deepEqual(new Set(texts.names), new Set(["t", "a", "b", "l", "c"]))
  })
  test("that are missing leave no message", () => {
    const texts = new Texts()
    assert.equal(texts.filled(named({ ...all, b: undefined })), undefined)
    assert.equal(texts.filled(named(all)).charts.space.traces[1], "second")
  })
  test("are forgotten once others were wanted more lately, and those of the message never", () => {
    const texts = new Texts()
    texts.filled(named(all))
    for (let i = 0; i < 2 * MAX_TEXTS; i++) {
      const charts = { space: { traces: [`${i}`], layout: "l" } }
      assert.equal(texts.filled(named({ [i]: `text ${i}` }, { charts })).charts.space.traces[0], `text ${i}`)
    }
    assert.equal(texts.names.length, MAX_TEXTS)
    assert.deepEqual(["t", "l", "a"].map(name => texts.names.includes(name)), [true, true, false])
  })
  test("are sent to Python with every event", () => {
    const texts = new Texts(), sent = []
    texts.filled(named(all))
    const choice = new Choice(texts)
    choice.send = (event, value) => sent.push([event, value])
    choice.take(message(20, 3))
    choice.ask("moved", 12.34)
    assert.deepEqual(sent, [["moved", [12.34, 4, texts.names]]])
  })
})
