// @ts-check
// One chart: a static Plotly figure, marks that move with the target, and the user's view.

/** @import { ChartMessage, Row } from "./messages.d.ts" */
/** @import { Parts } from "./marks.js" */
/** @import { Place } from "./protocol.js" */
import { Marks, markTraces } from "./marks.js"
import { page, PlotlyFigure } from "./plotly_adapter.js"
import { turned } from "./turning.js"

const AXES = ["xaxis", "yaxis"]
// Of the paths beside the chosen one, as a share of its width.
const THIN = 0.5
// Pixels above a plot for the icons.
const TOP = 30
const MILLISECONDS_OF_DOUBLE_CLICK = 320
const REMEMBERED = "multiloss explorer"

/** Settings of the charts kept in the tab: hidden methods and cameras of surfaces. */
export const memory = {
  /** @returns {Record<string, any>} */
  read: () => JSON.parse(sessionStorage.getItem(REMEMBERED) ?? "{}"),
  /** @param {Record<string, any>} settings */
  write: settings => sessionStorage.setItem(REMEMBERED, JSON.stringify({ ...memory.read(), ...settings })),
}

/** @param {unknown} one @param {unknown} other */
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other)

/**
 * Inputs of a drawing: the meaning of the axes, hidden methods, methods with thin lines, the row, styles of points.
 * @typedef {Omit<Parts, "traces"> & { about: string, hidden: Set<string>, thin: Set<string>, row: Row }} View
 */

export class Chart {
  /** @type {{ text: string, style: string, trace: Record<string, any> }[]} */
  #drawn = []
  /** The requested ranges, shown until the user zooms. @type {(number[] | undefined)[]} */
  #given = []
  #about = ""
  /** Always the same object: Plotly redraws everything for another one. @type {object | undefined} */
  #config
  isDrawn = false
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #picking

  /** @param {HTMLElement} place @param {(chart: Chart, clicked: Place, at: number[]) => void} pick */
  constructor(place, pick) {
    this.place = place
    this.pick = pick
    this.name = place.dataset.chart ?? ""
    this.figure = new PlotlyFigure(place.appendChild(document.createElement("div")))
    this.marks = new Marks(place, this.figure)
    // Swipes scroll the page unless the chart was tapped last.
    const shield = document.createElement("button")
    Object.assign(shield, { type: "button", className: "shield", textContent: "Tap to use the chart" })
    shield.onclick = () => place.classList.add("touched")
    this.outside = (/** @type {PointerEvent} */ { target }) =>
      place.contains(/** @type {Node} */ (target)) || place.classList.remove("touched")
    document.addEventListener("pointerdown", this.outside)
    place.append(shield)
  }

  /** Whether touch gestures reach the chart. */
  get isTouched() {
    return this.place.classList.contains("touched")
  }

  /** Whether the chart is in the visible view. */
  get isSeen() {
    return this.place.clientWidth > 0
  }

  // Traces with unchanged text and the user's view are reused.
  /** @param {ChartMessage} message @param {View} view @returns {Promise<void>} */
  async draw(message, view) {
    const { figure, name } = this, { hidden, thin, row, about } = view
    /** @param {string} method */
    const styleOf = method => `${hidden.has(method) ? "hidden" : ""} ${thin.has(method) ? "thin" : ""}`
    this.#drawn = message.traces.map((text, i) => {
      const before = this.#drawn[i]
      if (before?.text === text && before.style === styleOf(before.trace.name)) return before
      const trace = JSON.parse(text), { name, line } = trace
      if (thin.has(name) && line) trace.line = { ...line, width: THIN * line.width }
      return { text, style: styleOf(name), trace: hidden.has(name) ? { ...trace, visible: false } : trace }
    })
    const parts = { ...view, traces: message.marks.map(text => JSON.parse(text)) }
    // The title is an element above the chart, away from the icons; the element determines the height.
    const { title, height, ...given } = JSON.parse(message.layout)
    const layout = { ...given, uirevision: about, autosize: true, margin: { ...given.margin, t: TOP } }
    this.title = title
    figure.isSurface = message.surface
    if (message.surface) {
      layout.scene.uirevision = "keep"
      // Surfaces may rotate after the mouse is released, without an event of Plotly.
      const shown = this.isDrawn ? figure.camera : memory.read()[`${name} camera`]
      layout.scene.camera = shown ?? layout.scene.camera
    } else this.#setView(layout, row, about)
    const isFirst = !this.#config
    this.#config ??= this.#configuration()
    const traces = this.#drawn.map(({ trace }) => trace)
    if (this.marks.areTraces) traces.push(...markTraces(parts, row))
    await page.Plotly.react(figure.element, traces, layout, this.#config)
    if (isFirst) {
      this.#listen()
      if (!this.marks.areTraces && !figure.isReadable) {
        // The position of the plot is unknown in this release of Plotly.
        console.warn(`The marks of the chart '${name}' are drawn as traces: Plotly's fields have changed.`)
        this.marks.areTraces = true
        return this.draw(message, view)
      }
    }
    this.parts = parts
    this.marks.make(parts)
    this.isDrawn = true
    this.marks.follow()
  }

  /** Release the figure and its WebGL context. */
  leave() {
    const key = `${this.name} camera`
    if (this.isDrawn && key in memory.read()) memory.write({ [key]: this.figure.camera })
    this.isDrawn = false
    this.#config = undefined
    document.removeEventListener("pointerdown", this.outside)
    clearTimeout(this.#picking)
    page.Plotly?.purge(this.figure.element)
  }

  /** Move only the marks. @param {Row} row */
  move(row) {
    this.row = row
    if (this.isDrawn) this.marks.move(row)
  }

  // Show the range around the point unless the user zoomed; during a drag, only if the point leaves it.
  /** @param {Row} row @param {boolean} released */
  fit({ fp, tp, view }, released) {
    const [x, y] = this.#given
    if (this.name !== "plane" || !x || !y || !same(this.#shown(), this.#given)) return
    const [right, height] = [fp.at(-1) ?? 0, tp.at(-1) ?? 0]
    const isInSight = right <= x[1] && height >= y[0] && height <= y[1]
    if ((isInSight && !released) || same(view, this.#given)) return
    this.#given = view.map(range => [...range])
    this.#relayout(this.#asGiven())
  }

  /** @param {object} changes */
  #relayout(changes) {
    return page.Plotly.relayout(this.figure.element, changes)
  }

  /** Copies, because Plotly modifies ranges in place. @returns {(number[] | undefined)[]} */
  #shown() {
    return AXES.map(axis => this.figure.element.layout?.[axis]?.range?.slice())
  }

  // Keep the user's zoom in a new layout: Plotly would reset it for a new range.
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

  /** @param {KeyboardEvent} pressed */
  #turn(pressed) {
    const { target, key, ctrlKey, altKey, metaKey } = pressed
    const camera = target === this.place && !(ctrlKey || altKey || metaKey) && turned(this.figure.camera, key)
    if (!camera) return
    pressed.preventDefault()
    this.#relayout({ "scene.camera": camera })
  }

  #asGiven(given = this.#given) {
    return Object.fromEntries(AXES.map((axis, i) => given[i]
      ? [`${axis}.range`, [...given[i]]] : [`${axis}.autorange`, true]))
  }

  #configuration() {
    const { home, camera } = page.Plotly.Icons
    const picture = { name: "Save as a picture", icon: camera, click: () => this.#save() }
    const reset = { name: "Reset the view", icon: home, click: () => this.#relayout(this.#asGiven()) }
    return {
      displaylogo: false, responsive: true, doubleClick: false, plotGlPixelRatio: window.devicePixelRatio,
      modeBarButtons: [[picture, this.figure.isSurface ? "resetCameraDefault3d" : reset]],
    }
  }

  /** Save a picture with the marks as traces. */
  #save() {
    const { parts, row } = this
    if (!parts || !row) return
    const { layout, clientWidth: width, clientHeight: height } = this.figure.element
    const data = [...this.#drawn.map(({ trace }) => trace), ...markTraces({ ...parts, present: null }, row)]
    const filename = `operating point ${this.name}`
    const titled = { ...layout, title: this.title, margin: { ...layout.margin, t: TOP + 20 } }
    return page.Plotly.downloadImage({ data, layout: titled }, { format: "png", scale: 2, width, height, filename })
  }

  #listen() {
    const { element, isSurface } = this.figure
    for (const event of ["plotly_afterplot", "plotly_relayouting", "plotly_relayout"]) {
      element.on(event, () => this.isDrawn && this.marks.follow())
    }
    if (isSurface) {
      this.place.tabIndex = 0
      this.place.onkeydown = pressed => this.#turn(pressed)
      element.on("plotly_relayout", ({ "scene.camera": camera }) =>
        camera && memory.write({ [`${this.name} camera`]: camera }))
      return
    }
    element.on("plotly_click", ({ points: [place], event }) => {
      const { left, top } = element.getBoundingClientRect(), { x, y } = this.figure.plotBox
      const at = [event.clientX - left - x, event.clientY - top - y]
      clearTimeout(this.#picking)
      this.#picking = setTimeout(() => this.pick(this, place, at), MILLISECONDS_OF_DOUBLE_CLICK)
    })
    element.on("plotly_doubleclick", () => {
      clearTimeout(this.#picking)
      this.#relayout(this.#asGiven(same(this.#shown(), this.#given) ? [] : this.#given))
    })
  }
}
