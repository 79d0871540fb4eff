import assert from "node:assert/strict"
import { test } from "node:test"

import { PlotlyFigure, times } from "../../../ui/operating_point/explorer/browser/plotly_adapter.js"

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
const axis = (offset, length) => ({ _offset: offset, _length: length, d2p: value => 2 * value })
const flat = () => ({ xaxis: axis(40, 300), yaxis: axis(20, 200) })
const surface = () => ({
  _size: { l: 10, t: 20, w: 400, h: 200 },
  scene: {
    domain: { x: [0.25, 0.75], y: [0, 0.5] },
    _scene: {
      dataScale: [1, 2, 4],
      glplot: { cameraParams: { model: IDENTITY, view: IDENTITY, projection: IDENTITY }, onrender: () => {} },
    },
  },
})

function figureOf(plot) {
  const figure = new PlotlyFigure({ _fullLayout: plot })
  figure.isSurface = Boolean(plot?.scene ?? !plot?.xaxis)
  return figure
}

test("a matrix is multiplied column by column, as WebGL has it", () => {
  const moved = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]
  assert.deepEqual(times(moved, [1, 2, 3, 1]), [6, 8, 10, 1])
})

test("the middle of the view is the middle of the plot, and up is up", () => {
  const figure = figureOf(surface())
  assert.deepEqual(figure.toPixels(0, 0, 0), [100, 50])
  assert.deepEqual(figure.toPixels(1, 0.5, 0), [200, 0])
})

test("a figure is readable with all of Plotly's fields and not without any one of them", () => {
  assert.ok(figureOf(flat()).isReadable)
  assert.ok(figureOf(surface()).isReadable)
  assert.ok(!new PlotlyFigure({ _fullLayout: undefined }).isReadable)
  assert.ok(!figureOf(undefined).isReadable)
  for (const name of ["_offset", "_length", "d2p"]) {
    const plot = flat()
    delete plot.yaxis[name]
    assert.ok(!figureOf(plot).isReadable, name)
  }
  for (const [where, name] of [
    [plot => plot._size, "w"], [plot => plot, "scene"], [plot => plot.scene, "domain"], [plot => plot.scene, "_scene"],
    [plot => plot.scene._scene, "dataScale"], [plot => plot.scene._scene, "glplot"],
    [plot => plot.scene._scene.glplot, "cameraParams"], [plot => plot.scene._scene.glplot, "onrender"],
    [plot => plot.scene._scene.glplot.cameraParams, "view"],
  ]) {
    const plot = surface()
    delete where(plot)[name]
    assert.ok(!figureOf(plot).isReadable, name)
  }
})

test("a flat figure is measured by its axes", () => {
  const figure = new PlotlyFigure({ _fullLayout: flat() })
  assert.deepEqual(figure.plotBox, { x: 40, y: 20, width: 300, height: 200 })
  assert.deepEqual(figure.toPixels(3, 4), [6, 8])
})

test("a surface is measured by its scene, and tells of each frame once", () => {
  const plot = surface()
  const figure = new PlotlyFigure({ _fullLayout: plot })
  figure.isSurface = true
  assert.deepEqual(figure.plotBox, { x: 110, y: 120, width: 200, height: 100 })
  assert.deepEqual(figure.toPixels(0.5, 0.25, 0.25), [150, 25])
  let [frames, drawn] = [0, 0]
  plot.scene._scene.glplot.onrender = () => drawn++
  for (const listener of [() => frames++, () => frames++]) figure.onFrame(listener)
  plot.scene._scene.glplot.onrender()
  assert.deepEqual([frames, drawn], [1, 1])
})
