// @ts-check
// Rotate a surface with the arrow keys; zoom with + and -.

/** @typedef {{ x: number, y: number, z: number }} Vector */
/** @typedef {{ eye: Vector, center?: Vector, up?: Vector }} Camera */

const STEP = Math.PI / 24, NEARER = 0.9
// Stay short of the poles, where left and right are undefined.
const LOWEST = -Math.PI / 2 + STEP, HIGHEST = Math.PI / 2 - STEP
/** Changes of azimuth, height and distance. @type {Record<string, number[]>} */
const MOVES = {
  ArrowLeft: [-STEP, 0, 1], ArrowRight: [STEP, 0, 1], ArrowUp: [0, STEP, 1], ArrowDown: [0, -STEP, 1],
  "+": [0, 0, NEARER], "=": [0, 0, NEARER], "-": [0, 0, 1 / NEARER],
}

/**
 * The camera after a key; undefined for other keys.
 * @param {Camera} camera @param {string} key @returns {Camera | undefined}
 */
export function turned(camera, key) {
  if (!Object.hasOwn(MOVES, key)) return undefined
  const [around, up, nearer] = MOVES[key]
  const { x, y, z } = camera.eye, { x: cx = 0, y: cy = 0, z: cz = 0 } = camera.center ?? {}
  const flat = Math.hypot(x - cx, y - cy), distance = Math.hypot(flat, z - cz) * nearer
  const azimuth = Math.atan2(y - cy, x - cx) + around
  const height = Math.min(HIGHEST, Math.max(LOWEST, Math.atan2(z - cz, flat) + up))
  const eye = {
    x: cx + distance * Math.cos(height) * Math.cos(azimuth),
    y: cy + distance * Math.cos(height) * Math.sin(azimuth),
    z: cz + distance * Math.sin(height),
  }
  return { ...camera, eye }
}
