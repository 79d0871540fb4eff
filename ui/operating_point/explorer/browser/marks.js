// @ts-check
// The moving marks of the points, on a separate layer, because Plotly would redraw shades and surfaces for each move;
// as traces of the figure if it cannot be measured.

/** @import { MethodStyle, Row } from "./messages.d.ts" */
/** @import { PlotlyFigure } from "./plotly_adapter.js" */
import { page } from "./plotly_adapter.js"

const STAR = "M0-12 2.8-3.7 11.4-3.7 4.5 1.4 7.1 9.7 0 4.6-7.1 9.7-4.5 1.4-11.4-3.7-2.8-3.7Z"
const OUT_OF_SIGHT = -9

/**
 * Inputs of marks: traces with the columns of a row that they follow, and the styles of the points.
 * @typedef {"x" | "y" | "third" | "fourth"} Threshold
 * @typedef {"x" | "y" | "fp" | "tp"} Column
 * @typedef {{ meta: { follows: "tangent" | Threshold | Column[] } }} MarkTrace
 * @typedef {{ colour: string, chosen: boolean }[]} Points
 * @typedef {{ traces: MarkTrace[], points: Points, ink: string, present: Row | null }} Parts
 */

// The styles of a table's methods, in its order.
/** @param {MethodStyle[]} key @param {string[]} methods @returns {Points} */
export function pointsOf(key, methods) {
  return methods.map((method, i) => ({
    colour: key.find(({ name }) => name === method)?.colour ?? "", chosen: i === methods.length - 1,
  }))
}

// The coordinates of a mark at a row, in Plotly's form.
/** @param {MarkTrace} trace @param {Row} row @returns {Record<string, (number | null)[]>} */
export function coordinates({ meta: { follows } }, row) {
  if (follows === "tangent") return { x: row.tangent[0], y: row.tangent[1] }
  if (!Array.isArray(follows)) return { x: Array(2).fill(row[follows].at(-1) ?? null) }
  return Object.fromEntries(follows.map((column, i) => ["xyz"[i], row[column]]))
}

// Marks as traces at a row, above the point of the current thresholds.
/** @param {Parts} parts @param {Row} row @returns {object[]} */
export function markTraces({ traces, ink, present }, row) {
  const hollow = { name: "", text: "", marker: { symbol: "circle-open", size: 14, color: ink } }
  const ghosts = traces.filter(({ meta }) => present && Array.isArray(meta.follows)).map(trace => {
    const all = Object.entries(coordinates(trace, /** @type {Row} */ (present)))
    return { ...trace, ...Object.fromEntries(all.map(([axis, values]) => [axis, values.slice(-1)])), ...hollow }
  })
  return [...ghosts, ...traces.map(trace => ({ ...trace, ...coordinates(trace, row) }))]
}

// An element of SVG.
/** @param {string} tag @param {Record<string, string | number>} attributes */
function shape(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, `${value}`)
  return made
}

/** Marks as shapes above a figure, or as traces: slower, but without Plotly's private fields. */
export class Marks {
  areTraces = false
  #traces = /** @type {MarkTrace[]} */ ([])
  #moved = /** @type {Promise<unknown>} */ (Promise.resolve())
  #points = /** @type {Element[]} */ ([])
  #isTangent = false
  /** The threshold of a vertical line. @type {Threshold | undefined} */
  #vertical

  /** @param {HTMLElement} place @param {PlotlyFigure} figure */
  constructor(place, figure) {
    /** @type {{ row?: Row, present?: Row | null, columns?: Column[], ghost?: Element, line?: Element }} */
    this.shown = {}
    this.figure = figure
    this.area = shape("svg", { class: "area" })
    this.layer = place.appendChild(shape("svg", { class: "marks", "aria-hidden": "true" }))
    this.layer.append(this.area)
  }

  /** Recreate the marks after a drawing. @param {Parts} parts */
  make({ traces, points, ink, present }) {
    this.#traces = traces
    if (this.areTraces) return void this.layer.remove()
    const follows = traces.map(({ meta }) => meta.follows)
    const outline = { stroke: ink, "stroke-width": 1.5 }
    this.shown.present = present
    this.shown.columns = follows.find(Array.isArray)
    this.#isTangent = follows.includes("tangent")
    this.#vertical = follows.find(column => typeof column === "string" && column !== "tangent")
    this.shown.line = this.#isTangent || this.#vertical
      ? shape("polyline", { fill: "none", ...outline, "stroke-dasharray": this.#isTangent ? "2 3" : "6 4" }) : undefined
    this.#points = !this.shown.columns ? [] : points.map(({ colour, chosen }) => chosen
      ? shape("path", { ...outline, d: STAR, fill: colour })
      : shape("circle", { ...outline, r: 5, fill: colour, "stroke-width": 1.2 }))
    this.shown.ghost = this.shown.columns
      && shape("path", { ...outline, d: STAR, fill: "none", "stroke-dasharray": "3 2", class: "ghost" })
    const { line, ghost } = this.shown
    this.area.replaceChildren(...line ? [line] : [], ...ghost ? [ghost] : [], ...this.#points)
  }

  /** Align the marks with the plot after drawing, zooming or resizing. */
  follow() {
    if (this.areTraces) return
    for (const [name, value] of Object.entries(this.figure.plotBox)) this.area.setAttribute(name, `${value}`)
    this.figure.onFrame(() => this.move(this.shown.row))
    this.move(this.shown.row)
  }

  /** Move the marks without a redraw by Plotly. @param {Row | undefined} row */
  move(row) {
    this.shown.row = row
    if (!row) return
    if (this.areTraces) return void this.#moveTraces(row)
    this.#points.forEach((mark, i) => this.#put(mark, row, i))
    if (this.shown.ghost) this.#put(this.shown.ghost, this.shown.present, this.#points.length - 1)
    this.shown.line?.setAttribute("points", `${this.#ends(row).map(at => at.toFixed(1))}`)
  }

  // Move a mark to the point of a method in a row.
  /** @param {Element} mark @param {Row | null | undefined} row @param {number} i */
  #put(mark, row, i) {
    const [x, y, z] = (row && this.shown.columns?.map(name => row[name][i])) ?? []
    const shown = typeof x === "number" && typeof y === "number"
    mark.setAttribute("visibility", shown ? "visible" : "hidden")
    if (!shown) return
    const pixels = this.figure.toPixels(x, y, z ?? undefined)
    mark.setAttribute("transform", `translate(${pixels.map(at => at.toFixed(1))})`)
  }

  /** @param {Row} row */
  #ends(row) {
    const { tangent: [fp, tp] } = row
    if (this.#isTangent) return [0, 1].flatMap(i => this.figure.toPixels(fp[i], tp[i]))
    const threshold = row[this.#vertical ?? "x"].at(-1) ?? null
    const x = threshold === null ? OUT_OF_SIGHT : this.figure.toPixels(threshold, NaN)[0]
    return [x, 0, x, this.figure.plotBox.height]
  }

  // Traces move sequentially, skipping superseded rows.
  /** @param {Row} row */
  #moveTraces(row) {
    this.#moved = this.#moved.catch(() => {}).then(() => {
      if (row !== this.shown.row) return
      const { element } = this.figure
      const places = this.#traces.map(trace => coordinates(trace, row))
      const changes = Object.keys(places[0]).map(axis => [axis, places.map(place => place[axis])])
      const first = element.data.length - places.length
      return page.Plotly.restyle(element, Object.fromEntries(changes), places.map((_, i) => first + i))
    })
  }
}
