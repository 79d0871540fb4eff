import assert from "node:assert/strict"
import { test } from "node:test"
import { CONTRACT, Moves, afterKey, asProbability, checkedMessage } from "../../../ui/top_k/browser/rules.js"

test("a place in a bar is a probability of two digits", () => {
  assert.equal(asProbability(0.4567), 0.46)
  assert.equal(asProbability(-3), 0)
  assert.equal(asProbability(1.01), 1)
})

test("arrow keys move by a hundredth, page keys by a tenth, never past the ends", () => {
  assert.equal(afterKey("ArrowUp", 0.29), 0.3)
  assert.equal(afterKey("ArrowRight", 1), 1)
  assert.equal(afterKey("ArrowDown", 0.3), 0.29)
  assert.equal(afterKey("ArrowLeft", 0), 0)
  assert.equal(afterKey("PageUp", 0.95), 1)
  assert.equal(afterKey("PageDown", 0.33), 0.23)
  assert.equal(afterKey("Home", 0.5), 0)
  assert.equal(afterKey("End", 0.5), 1)
  assert.equal(afterKey("Tab", 0.5), null)
})

test("one move is under way at a time, and the newest goes next", () => {
  const sent = [], moves = new Moves(move => sent.push(move))
  moves.add([0.1])
  moves.add([0.2])
  moves.add([0.3])
  assert.deepEqual(sent, [[1, [0.1]]])
  assert.equal(moves.settled, false)
  moves.acknowledge(1)
  assert.deepEqual(sent, [[1, [0.1]], [2, [0.3]]])
  assert.equal(moves.settled, false)
  moves.acknowledge(2)
  assert.equal(moves.settled, true)
  assert.equal(sent.length, 2)
})

test("a server that stays silent does not hold up the next move", () => {
  const sent = [], moves = new Moves(move => sent.push(move))
  moves.add([0.1])
  moves.add([0.2])
  moves.skipResponse()
  assert.deepEqual(sent.at(-1), [2, [0.2]])
})

test("a redrawn page continues from the acknowledged number", () => {
  const sent = [], moves = new Moves(move => sent.push(move))
  moves.acknowledge(7)
  moves.add([0.5])
  assert.deepEqual(sent, [[8, [0.5]]])
})

test("a message of another version is refused", () => {
  assert.equal(checkedMessage({ contract: CONTRACT }).contract, CONTRACT)
  assert.throws(() => checkedMessage({ contract: CONTRACT + 1 }), /reload/)
})
