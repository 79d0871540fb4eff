import assert from "node:assert/strict"
import { test } from "node:test"

import { coordinates, pointsOf, TraceMarks } from "../../ui/operating_point/explorer/browser/marks.js"

const ROW = { x: [0.1, 0.2], y: [0.3, 0.4], fp: [5, 6], tp: [7, 8], tangent: [[0, 10], [1, 9]] }
const trace = follows => ({ name: "mark", meta: { follows } })

test("coordinates follow the columns that a mark names, in the order of the axes", () => {
  assert.deepEqual(coordinates(["fp", "tp"], ROW), { x: [5, 6], y: [7, 8] })
  assert.deepEqual(coordinates(["x", "y", "tp"], ROW), { x: [0.1, 0.2], y: [0.3, 0.4], z: [7, 8] })
  assert.deepEqual(coordinates("tangent", ROW), { x: [0, 10], y: [1, 9] })
  assert.deepEqual(coordinates("threshold", ROW), { x: [0.2, 0.2] })
  assert.deepEqual(coordinates("threshold", { ...ROW, x: [0.1, null] }), { x: [null, null] })
})

test("points have the colours of their methods, and the last is the chosen one", () => {
  const key = { methods: [{ name: "smooth", colour: "red" }, { name: "graph", colour: "blue" }] }
  assert.deepEqual(pointsOf(key, ["graph", "smooth"]), [
    { colour: "blue", chosen: false }, { colour: "red", chosen: true },
  ])
})

/** A figure that keeps what it is told to change. */
function figure(traces) {
  const changes = []
  let finish
  return {
    changes,
    element: { data: Array(traces).fill({}) },
    restyle: (...change) => { changes.push(change); return new Promise(done => { finish = done }) },
    finish: async () => { finish(); await new Promise(setImmediate) },
  }
}

const parts = present => ({ traces: [trace("tangent"), trace(["fp", "tp"])], ink: "black", present })

test("marks as traces stand at their row, above the present point", () => {
  const marks = new TraceMarks(figure(0))
  const drawn = marks.traces(parts({ ...ROW, fp: [5, 60], tp: [7, 80] }), ROW)
  assert.deepEqual(drawn.map(({ x, y }) => [x, y]), [[[60], [80]], [[0, 10], [1, 9]], [[5, 6], [7, 8]]])
  assert.equal(marks.traces(parts(null), ROW).length, 2)
})

test("marks as traces move one row after the other, and skip those that a later one overtook", async () => {
  const told = figure(5)
  const marks = new TraceMarks(told)
  marks.traces(parts(null), ROW)
  const moved = [1, 2, 3].map(tp => marks.move({ ...ROW, tp: [0, tp] }))
  for (let change = 0; change < 4; change++) await told.finish()
  await Promise.all(moved)
  assert.deepEqual(told.changes.map(([{ y }, place]) => [y, place]), [
    [[[1, 9]], [3]], [[[0, 1]], [4]], [[[1, 9]], [3]], [[[0, 3]], [4]],
  ])
})
