import assert from "node:assert/strict"
import { test } from "node:test"
import { turned } from "../../../ui/operating_point/explorer/browser/turning.js"

const CAMERA = { eye: { x: 1.2, y: -1.6, z: 0.9 }, center: { x: 0.1, y: 0, z: -0.2 }, up: { x: 0, y: 0, z: 1 } }
const arm = ({ eye, center }) => ["x", "y", "z"].map(axis => eye[axis] - center[axis])
const close = (one, other) => one.forEach((value, i) => assert.ok(Math.abs(value - other[i]) < 1e-12))

test("arrows keep the distance, and the one undoes the other", () => {
  for (const [there, back] of [["ArrowLeft", "ArrowRight"], ["ArrowUp", "ArrowDown"], ["+", "-"]]) {
    const moved = turned(CAMERA, there)
    assert.notDeepEqual(moved.eye, CAMERA.eye)
    if (there !== "+") assert.ok(Math.abs(Math.hypot(...arm(moved)) - Math.hypot(...arm(CAMERA))) < 1e-12)
    close(arm(turned(moved, back)), arm(CAMERA))
    assert.deepEqual([moved.center, moved.up], [CAMERA.center, CAMERA.up])
  }
})

test("left and right go once around in 48 steps, at one height", () => {
  let camera = CAMERA
  for (let i = 0; i < 48; i++) {
    camera = turned(camera, "ArrowRight")
    assert.ok(Math.abs(camera.eye.z - CAMERA.eye.z) < 1e-9)
  }
  arm(camera).forEach((value, i) => assert.ok(Math.abs(value - arm(CAMERA)[i]) < 1e-9))
})

test("up never goes over the top", () => {
  let camera = CAMERA
  for (let i = 0; i < 100; i++) camera = turned(camera, "ArrowUp")
  const [x, y, z] = arm(camera)
  assert.ok(Math.hypot(x, y) > 0.05 * z && z > 0)
})

test("a center that is not given is the origin, and other keys turn nothing", () => {
  close(Object.values(turned({ eye: { x: 1, y: 0, z: 0 } }, "+").eye), [0.9, 0, 0])
  for (const key of ["Tab", "a", "toString"]) assert.equal(turned(CAMERA, key), undefined)
})
