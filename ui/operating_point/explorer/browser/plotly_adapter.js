// @ts-check
// The only file with Plotly's private fields, which releases may rename: the position of a plot in its figure, and the
// conversion of coordinates to pixels.

/**
 * The used parts of Plotly.
 * @typedef {HTMLElement & { data: object[], layout: Record<string, any>, _fullLayout?: any,
 *   on: (event: string, listener: (about: any) => void) => void }} PlotlyElement
 * @typedef {(figure: PlotlyElement, ...about: any[]) => Promise<unknown>} Call
 * @typedef {{ react: Call, relayout: Call, restyle: Call, purge: Call, Icons: Record<string, object>,
 *   downloadImage: (figure: object, options: object) => Promise<unknown> }} PlotlyLibrary
 */

/** Has Plotly after loading. @type {{ Plotly: PlotlyLibrary }} */
export const page = /** @type {any} */ (globalThis)

/** @type {Promise<unknown> | undefined} */
let loading

/** Load Plotly once for the whole page; retry at the next call after a failure. @param {string} address */
export function loaded(address) {
  if (page.Plotly) return
  return loading ??= new Promise((resolve, reject) => {
    const onerror = () => { loading = undefined; reject(new Error(address)) }
    document.head.append(Object.assign(document.createElement("script"), { src: address, onload: resolve, onerror }))
  })
}

/** @type {boolean | undefined} */
let webgl

/** Tested once: browsers limit WebGL contexts, and a further one destroys that of a chart. */
export function offersWebGL() {
  return webgl ??= ["webgl2", "webgl"].some(kind => document.createElement("canvas").getContext(kind))
}

// The product of a 4 x 4 matrix in column-major order, as in WebGL, and a vector.
/** @param {ArrayLike<number>} matrix @param {number[]} vector */
export function times(matrix, vector) {
  return [0, 1, 2, 3].map(i => vector.reduce((sum, value, j) => sum + matrix[i + 4 * j] * value, 0))
}

/** A figure of Plotly in an element of the page. */
export class PlotlyFigure {
  /** Scenes with a frame listener. */
  #hooked = new WeakSet()
  isSurface = false

  /** @param {HTMLElement} place */
  constructor(place) {
    this.element = /** @type {PlotlyElement} */ (place)
  }

  get #scene() {
    return this.element._fullLayout.scene._scene
  }

  /** Whether a drawn figure has the private fields used here. */
  get isReadable() {
    try {
      this.toPixels(1, 1, 1)
      return Object.values(this.plotBox).every(Number.isFinite)
        && (!this.isSurface || typeof this.#scene.glplot.onrender === "function")
    } catch {
      return false
    }
  }

  /** The position and size of the plot in its figure, in pixels. */
  get plotBox() {
    const { xaxis, yaxis, _size, scene } = this.element._fullLayout
    if (!this.isSurface) return { x: xaxis._offset, y: yaxis._offset, width: xaxis._length, height: yaxis._length }
    const { l, t, w, h } = _size, { x, y } = scene.domain
    return { x: l + w * x[0], y: t + h * (1 - y[1]), width: w * (x[1] - x[0]), height: h * (y[1] - y[0]) }
  }

  // Pixels from the upper left corner of the plot; NaN for a missing axis.
  /** @param {number} x @param {number} y @param {number} [z] */
  toPixels(x, y, z = NaN) {
    if (!this.isSurface) return [this.element._fullLayout.xaxis.d2p(x), this.element._fullLayout.yaxis.d2p(y)]
    const { dataScale, glplot: { cameraParams: { model, view, projection } } } = this.#scene
    const { width, height } = this.plotBox
    const point = [x, y, z].map((value, i) => value * dataScale[i])
    const seen = times(projection, times(view, times(model, [...point, 1])))
    return [(0.5 + 0.5 * seen[0] / seen[3]) * width, (0.5 - 0.5 * seen[1] / seen[3]) * height]
  }

  /** Call the listener at each frame of a surface; may be called again. @param {() => void} listener */
  onFrame(listener) {
    const { glplot } = this.isSurface ? this.#scene : {}
    if (!glplot || this.#hooked.has(glplot)) return
    const render = glplot.onrender
    glplot.onrender = () => { render(); listener() }
    this.#hooked.add(glplot)
  }

  /** The camera of a surface; during rotation it is ahead of the figure's layout. */
  get camera() {
    return this.#scene?.getCamera?.() ?? this.element.layout?.scene?.camera
  }
}
