// @ts-check
// One chart: a figure of Plotly, which stays while the target moves, its marks, which move, and the user's view of it.

/** @import { ChartMessage, Row } from "./messages.d.ts" */
/** @import { Place } from "./protocol.js" */
/** @import { MarkTrace, Points } from "./marks.js" */
/** @import { PlotlyLibrary } from "./plotly_adapter.js" */
import { element, memory } from "./dom.js"
import { coordinates, Marks, TraceMarks } from "./marks.js"
import { PlotlyFigure } from "./plotly_adapter.js"

const AXES = ["xaxis", "yaxis"]

/** @param {unknown} one @param {unknown} other */
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other)

/**
 * What a chart is drawn with: what its axes mean, the hidden methods, the row, and the looks of its points.
 * @typedef {{ about: string, hidden: Set<string>, row: Row, points: Points, ink: string, present: Row | null }} View
 */

export class Chart {
  /** @type {{ text: string, hides: boolean, trace: Record<string, any> }[]} */
  #drawn = []
  /** @type {MarkTrace[]} */
  #markTraces = []
  /** The ranges that were asked for: those of the plot, until the user zooms. @type {(number[] | undefined)[]} */
  #given = []
  #about = ""
  /** @type {object | undefined} */
  #config
  /** @type {Row | undefined} */
  #row

  /** @param {HTMLElement} place @param {(chart: string, clicked: Place) => void} pick */
  constructor(place, pick) {
    this.place = place
    this.pick = pick
    this.name = place.dataset.chart ?? ""
    this.figure = new PlotlyFigure(place.appendChild(element("div")))
    /** @type {Marks | TraceMarks} */
    this.marks = new Marks(place, this.figure)
    this.isDrawn = false
  }

  // Traces whose text has not changed are left as they are, and so is the user's view.
  /** @param {PlotlyLibrary} Plotly @param {ChartMessage} message @param {View} view @returns {Promise<void>} */
  async draw(Plotly, message, view) {
    const { hidden, row, about, points, ink, present } = view
    this.#drawn = message.traces.map((text, i) => {
      const before = this.#drawn[i]
      return before?.text === text && before.hides === hidden.has(before.trace.name) ? before : parsed(text, hidden)
    })
    this.#markTraces = message.marks.map(text => JSON.parse(text))
    const layout = { ...JSON.parse(message.layout), uirevision: about }
    this.figure.isSurface = message.surface
    if (message.surface) {
      layout.scene.uirevision = "keep"
      layout.scene.camera = memory.read()[`${this.name} camera`] ?? layout.scene.camera
    } else this.#setView(layout, row, about)
    const isFirst = !this.#config
    this.#config ??= this.#configuration(Plotly)
    const parts = { traces: this.#markTraces, points, ink, present }
    const traces = [...this.#drawn.map(({ trace }) => trace), ...this.marks.traces(parts, row)]
    await this.figure.draw(Plotly, traces, layout, this.#config)
    if (isFirst) {
      this.#listen()
      if (this.marks instanceof Marks && !this.figure.isReadable) {
        // This release of Plotly does not tell where its plot is.
        console.warn(`The marks of the chart '${this.name}' are drawn as traces: Plotly's fields have changed.`)
        this.marks.leave()
        this.marks = new TraceMarks(this.figure)
        return this.draw(Plotly, message, view)
      }
    }
    this.marks.make(parts)
    this.isDrawn = true
    this.marks.follow()
  }

  /** Say why there is no figure. @param {string} sentence */
  refuse(sentence) {
    this.place.classList.add("missing")
    this.figure.element.textContent = sentence
  }

  /** Free what the figure holds. */
  leave() {
    this.isDrawn = false
    this.#config = undefined
    this.figure.leave()
  }

  /** Only the marks. @param {Row | undefined} row */
  move(row) {
    this.#row = row
    if (this.isDrawn && row) this.marks.move(row)
  }

  // Show the range that has the point, unless the user zoomed; while the slider is dragged, only when it leaves.
  /** @param {Row} row @param {boolean} released */
  fit({ fp, tp, view }, released) {
    const [x, y] = this.#given
    if (this.name !== "plane" || !x || !y || !same(this.#shown(), this.#given)) return
    const [right, height] = [fp.at(-1) ?? 0, tp.at(-1) ?? 0]
    const isInSight = right <= x[1] && height >= y[0] && height <= y[1]
    if ((isInSight && !released) || same(view, this.#given)) return
    this.#given = view.map(range => [...range])
    this.figure.relayout({ "xaxis.range": [...view[0]], "yaxis.range": [...view[1]] })
  }

  /** Copies: Plotly changes ranges where they are. @returns {(number[] | undefined)[]} */
  #shown() {
    return AXES.map(axis => this.figure.element.layout?.[axis]?.range?.slice())
  }

  // Leave the user's zoom in a new layout, because Plotly takes a new range for a wish to leave it.
  /** @param {Record<string, any>} layout @param {Row} row @param {string} about */
  #setView(layout, row, about) {
    if (this.name === "plane") {
      AXES.forEach((axis, i) => { layout[axis] = { ...layout[axis], range: [...row.view[i]] } })
    }
    const given = AXES.map(axis => layout[axis]?.range?.slice())
    if (this.#config && this.#about === about && !same(this.#shown(), this.#given)) {
      for (const axis of AXES) {
        const { range, autorange } = this.figure.element.layout[axis]
        layout[axis] = { ...layout[axis], range, autorange }
      }
    }
    this.#given = given
    this.#about = about
  }

  #asGiven() {
    return Object.fromEntries(AXES.map((axis, i) => this.#given[i]
      ? [`${axis}.range`, [...this.#given[i]]] : [`${axis}.autorange`, true]))
  }

  /** @param {PlotlyLibrary} Plotly */
  #configuration(Plotly) {
    const picture = { name: "Save as a picture", icon: Plotly.Icons.camera, click: () => this.#save(Plotly) }
    const home = {
      name: "Reset the view", icon: Plotly.Icons.home, click: () => this.figure.relayout(this.#asGiven()),
    }
    return {
      displaylogo: false, responsive: true, doubleClick: false, plotGlPixelRatio: window.devicePixelRatio,
      modeBarButtons: [[picture, this.figure.isSurface ? "resetCameraDefault3d" : home]],
    }
  }

  /** The picture carries the marks as traces of its own. @param {PlotlyLibrary} Plotly */
  #save(Plotly) {
    const { layout, clientWidth: width, clientHeight: height } = this.figure.element
    const row = /** @type {Row} */ (this.#row)
    const marks = this.#markTraces.map(trace => ({ ...trace, ...coordinates(trace.meta.follows, row) }))
    const data = [...this.#drawn.map(({ trace }) => trace), ...marks]
    const filename = `operating point ${this.name}`
    return Plotly.downloadImage({ data, layout }, { format: "png", scale: 2, width, height, filename })
  }

  #listen() {
    const { element } = this.figure
    for (const event of ["plotly_afterplot", "plotly_relayouting", "plotly_relayout"]) {
      element.on(event, () => this.isDrawn && this.marks.follow())
    }
    if (this.figure.isSurface) {
      element.on("plotly_relayout", change => {
        if (change["scene.camera"]) memory.write({ [`${this.name} camera`]: change["scene.camera"] })
      })
      return
    }
    element.on("plotly_click", ({ points: [place] }) => this.pick(this.name, place))
    const whole = Object.fromEntries(AXES.map(axis => [`${axis}.autorange`, true]))
    element.on("plotly_doubleclick", () =>
      this.figure.relayout(same(this.#shown(), this.#given) ? whole : this.#asGiven()))
  }
}

/** @param {string} text @param {Set<string>} hidden */
function parsed(text, hidden) {
  const trace = JSON.parse(text)
  const hides = hidden.has(trace.name)
  return { text, hides, trace: hides ? { ...trace, visible: false } : trace }
}
