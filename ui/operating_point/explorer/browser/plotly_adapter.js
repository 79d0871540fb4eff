// @ts-check
// The only file that knows of Plotly's private fields, which any release may rename: one figure, where its plot lies,
// and how its coordinates become pixels.

/**
 * What is used of Plotly's public interface.
 *
 * @typedef {HTMLElement & {
 *   data: Record<string, any>[],
 *   layout: Record<string, any>,
 *   on: (event: string, listener: (about: any) => void) => void,
 * }} PlotlyElement
 * @typedef {{
 *   react: (figure: HTMLElement, traces: object[], layout: object, config: object) => Promise<unknown>,
 *   relayout: (figure: HTMLElement, changes: object) => Promise<unknown>,
 *   restyle: (figure: HTMLElement, changes: object, traces: number[]) => Promise<unknown>,
 *   addTraces: (figure: HTMLElement, traces: object[]) => Promise<unknown>,
 *   downloadImage: (figure: object, options: object) => Promise<unknown>,
 *   purge: (figure: HTMLElement) => void,
 *   Icons: Record<string, object>,
 * }} PlotlyLibrary
 * @typedef {{ x: number, y: number, width: number, height: number }} Box
 */

/** @type {Promise<PlotlyLibrary> | undefined} */
let library

// Plotly, loaded once for the whole page; rejected where it cannot be loaded, and then asked for anew the next time.
/** @param {string} address @returns {Promise<PlotlyLibrary>} */
export function loaded(address) {
  const present = /** @type {any} */ (window).Plotly
  if (present) return Promise.resolve(present)
  library ??= new Promise((resolve, reject) => {
    const script = document.createElement("script")
    script.src = address
    script.onload = () => resolve(/** @type {any} */ (window).Plotly)
    script.onerror = () => { library = undefined; reject(new Error(address)) }
    document.head.append(script)
  })
  return library
}

/** @type {boolean | undefined} */
let webgl

/** Asked once: a browser keeps few contexts, and takes one from a chart for each that is asked for beyond. */
export function offersWebGL() {
  return webgl ??= ["webgl2", "webgl"].some(kind => document.createElement("canvas").getContext(kind))
}

// The product of a 4 x 4 matrix, column by column as WebGL has it, and a vector.
/** @param {ArrayLike<number>} matrix @param {number[]} vector */
export function times(matrix, vector) {
  return [0, 1, 2, 3].map(i => vector.reduce((sum, value, j) => sum + matrix[i + 4 * j] * value, 0))
}

/**
 * Pixels of a point in space, from the upper left corner of a plot of this size.
 *
 * @param {number[]} point
 * @param {{ model: ArrayLike<number>, view: ArrayLike<number>, projection: ArrayLike<number> }} camera
 * @param {{ width: number, height: number }} size
 */
export function projected(point, { model, view, projection }, { width, height }) {
  const [x, y, , w] = times(projection, times(view, times(model, [...point, 1])))
  return [(0.5 + 0.5 * x / w) * width, (0.5 - 0.5 * y / w) * height]
}

/** Whether the private fields that a flat figure is measured by are there. @param {any} plot */
export function isFlatReadable(plot) {
  return [plot?.xaxis, plot?.yaxis].every(
    axis => [axis?._offset, axis?._length].every(Number.isFinite) && typeof axis.d2p === "function")
}

/** Whether the private fields that a surface is measured by are there. @param {any} plot */
export function isSurfaceReadable(plot) {
  const { dataScale, glplot } = plot?.scene?._scene ?? {}
  const { model, view, projection } = glplot?.cameraParams ?? {}
  return ["l", "t", "w", "h"].every(side => Number.isFinite(plot?._size?.[side]))
    && [plot.scene?.domain?.x, plot.scene?.domain?.y, dataScale].every(values => values?.every(Number.isFinite))
    && [model, view, projection].every(matrix => matrix?.length === 16) && typeof glplot.onrender === "function"
}

/** A figure of Plotly in an element of the page. */
export class PlotlyFigure {
  /** @type {PlotlyLibrary | undefined} */
  #plotly
  /** Scenes whose frames are already listened to. */
  #hooked = new WeakSet()

  /** Whether it is drawn in 3D. */
  isSurface = false

  /** @param {HTMLElement} place */
  constructor(place) {
    this.element = /** @type {PlotlyElement} */ (place)
  }

  /** @returns {any} */
  get #plot() {
    return /** @type {any} */ (this.element)._fullLayout
  }

  get #scene() {
    return this.#plot.scene._scene
  }

  // Draw traces; `config` should be one and the same object at each drawing, else Plotly draws everything anew.
  /** @param {PlotlyLibrary} Plotly @param {object[]} traces @param {object} layout @param {object} config */
  async draw(Plotly, traces, layout, config) {
    this.#plotly = Plotly
    await Plotly.react(this.element, traces, layout, config)
  }

  /** Whether the figure, once drawn, can be measured: whether Plotly still has the private fields known here. */
  get isReadable() {
    return this.isSurface ? isSurfaceReadable(this.#plot) : isFlatReadable(this.#plot)
  }

  /** Where in the figure its plot lies, in pixels. @returns {Box} */
  get plotBox() {
    if (!this.isSurface) {
      const { xaxis, yaxis } = this.#plot
      return { x: xaxis._offset, y: yaxis._offset, width: xaxis._length, height: yaxis._length }
    }
    const { _size: { l, t, w, h }, scene: { domain: { x, y } } } = this.#plot
    return { x: l + w * x[0], y: t + h * (1 - y[1]), width: w * (x[1] - x[0]), height: h * (y[1] - y[0]) }
  }

  // Pixels from the upper left corner of the plot; of an axis that is not given, NaN.
  /** @param {number} x @param {number} y @param {number} [z] */
  toPixels(x, y, z = NaN) {
    if (!this.isSurface) return [this.#plot.xaxis.d2p(x), this.#plot.yaxis.d2p(y)]
    const { dataScale, glplot } = this.#scene
    const point = [x, y, z].map((value, i) => value * dataScale[i])
    return projected(point, glplot.cameraParams, this.plotBox)
  }

  /** Call at each frame that a surface is drawn in; safe to ask for again. @param {() => void} listener */
  onFrame(listener) {
    if (!this.isSurface || this.#hooked.has(this.#scene.glplot)) return
    const { glplot } = this.#scene
    const render = glplot.onrender
    glplot.onrender = () => { render(); listener() }
    this.#hooked.add(glplot)
  }

  /** Where the user looks at a surface from; while it is turned, ahead of the figure's layout. */
  get camera() {
    return this.#scene?.getCamera?.() ?? this.element.layout?.scene?.camera
  }

  /** @param {object} changes */
  relayout(changes) {
    return this.#plotly?.relayout(this.element, changes)
  }

  /** @param {object} changes @param {number[]} traces */
  restyle(changes, traces) {
    return this.#plotly?.restyle(this.element, changes, traces)
  }

  /** @param {object[]} traces */
  add(traces) {
    return this.#plotly?.addTraces(this.element, traces)
  }

  /** Free what the figure holds, its WebGL context too. */
  leave() {
    this.#plotly?.purge(this.element)
  }
}
