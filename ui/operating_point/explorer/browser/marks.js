// @ts-check
// The marks of the points, which move: on a layer of their own, because Plotly would draw shades and surfaces anew for
// every mark it moves; or, where the figure cannot be measured, as traces of the figure.

/** @import { Key, Row } from "./messages.d.ts" */
/** @import { PlotlyFigure } from "./plotly_adapter.js" */
import { shape } from "./dom.js"

const STAR = "M0-12 2.8-3.7 11.4-3.7 4.5 1.4 7.1 9.7 0 4.6-7.1 9.7-4.5 1.4-11.4-3.7-2.8-3.7Z"
const OUT_OF_SIGHT = -9

/**
 * A column of the table's rows that coordinates follow.
 * @typedef {"x" | "y" | "fp" | "tp"} Column
 * @typedef {"tangent" | "threshold" | Column[]} Follows
 * @typedef {{ meta: { follows: Follows } }} MarkTrace
 * @typedef {{ colour: string, chosen: boolean }[]} Points
 * @typedef {{ traces: MarkTrace[], points: Points, ink: string, present: Row | null }} Parts
 */

/** The colours of a table's methods, in its order. @param {Key} key @param {string[]} methods @returns {Points} */
export function pointsOf(key, methods) {
  const colours = new Map(key.methods.map(({ name, colour }) => [name, colour]))
  return methods.map((name, i) => ({ colour: colours.get(name) ?? "", chosen: i === methods.length - 1 }))
}

// The coordinates that a mark has at a row, as Plotly has them.
/** @param {Follows} follows @param {Row} row @returns {Record<string, (number | null)[]>} */
export function coordinates(follows, row) {
  if (follows === "tangent") return { x: row.tangent[0], y: row.tangent[1] }
  if (follows === "threshold") return { x: [row.x.at(-1) ?? null, row.x.at(-1) ?? null] }
  return Object.fromEntries(follows.map((column, i) => ["xyz"[i], row[column]]))
}

/** Marks as shapes above a figure. */
export class Marks {
  /** @type {SVGElement[]} */
  #points = []
  /** @type {SVGElement | undefined} */
  #ghost
  /** @type {SVGElement | undefined} */
  #line
  /** @type {Row | undefined} */
  #row

  /** @param {HTMLElement} place @param {PlotlyFigure} figure */
  constructor(place, figure) {
    this.figure = figure
    this.area = shape("svg", { class: "area" })
    this.layer = place.appendChild(shape("svg", { class: "marks", "aria-hidden": "true" }))
    this.layer.append(this.area)
  }

  leave() {
    this.layer.remove()
  }

  /** What is to be drawn with the figure: nothing. @param {Parts} _parts @param {Row} _row @returns {object[]} */
  traces(_parts, _row) {
    return []
  }

  /** Make the marks anew, after a drawing. @param {Parts} parts */
  make({ traces, points, ink, present }) {
    const follows = traces.map(trace => trace.meta.follows)
    this.present = present
    this.columns = /** @type {Column[] | undefined} */ (follows.find(Array.isArray))
    this.follows = follows.find(name => !Array.isArray(name))
    const dashes = this.follows === "tangent" ? "2 3" : "6 4"
    this.#line = this.follows && shape("line", { stroke: ink, "stroke-dasharray": dashes, "stroke-width": 1.5 })
    this.#points = !this.columns ? [] : points.map(({ colour, chosen }) => chosen
      ? shape("path", { d: STAR, fill: colour, stroke: ink, "stroke-width": 1.5 })
      : shape("circle", { r: 5, fill: colour, stroke: ink, "stroke-width": 1.2 }))
    const hollow = { fill: "none", stroke: ink, "stroke-width": 1.5, "stroke-dasharray": "3 2", class: "ghost" }
    this.#ghost = this.columns && shape("path", { d: STAR, ...hollow })
    this.area.replaceChildren(...[this.#line, this.#ghost, ...this.#points].filter(mark => mark !== undefined))
  }

  /** Stay with the plot, which was drawn, zoomed or given another size. */
  follow() {
    for (const [name, value] of Object.entries(this.figure.plotBox)) this.area.setAttribute(name, `${value}`)
    this.figure.onFrame(() => this.move(this.#row))
    this.move(this.#row)
  }

  /** Only the marks: no drawing by Plotly, so that they keep up with the slider. @param {Row | undefined} row */
  move(row) {
    this.#row = row
    if (!row) return
    this.#points.forEach((mark, i) => this.#put(mark, row, i))
    if (this.#ghost) this.#put(this.#ghost, this.present, this.#points.length - 1)
    if (this.#line) this.#moveLine(this.#line, row)
  }

  // Put a mark where a row has the point of a method.
  /** @param {SVGElement} mark @param {Row | null | undefined} row @param {number} i */
  #put(mark, row, i) {
    const [x, y, z] = (row && this.columns?.map(name => row[name][i])) ?? []
    const shown = typeof x === "number" && typeof y === "number"
    mark.setAttribute("visibility", shown ? "visible" : "hidden")
    if (!shown) return
    const pixels = this.figure.toPixels(x, y, z ?? undefined)
    mark.setAttribute("transform", `translate(${pixels.map(at => at.toFixed(1))})`)
  }

  /** @param {SVGElement} line @param {Row} row */
  #moveLine(line, { tangent: [fp, tp], x: thresholds }) {
    let ends
    if (this.follows === "tangent") ends = [0, 1].map(i => this.figure.toPixels(fp[i], tp[i]))
    else {
      const threshold = thresholds.at(-1) ?? null
      const x = threshold === null ? OUT_OF_SIGHT : this.figure.toPixels(threshold, NaN)[0]
      ends = [[x, 0], [x, this.figure.plotBox.height]]
    }
    ends.forEach(([x, y], i) => {
      line.setAttribute(`x${i + 1}`, x.toFixed(1))
      line.setAttribute(`y${i + 1}`, y.toFixed(1))
    })
  }
}

/** The same marks as traces of the figure, which Plotly moves: slower, but without a look at its private fields. */
export class TraceMarks {
  /** @type {MarkTrace[]} */
  #marks = []
  #isMoving = false

  /** @param {PlotlyFigure} figure */
  constructor(figure) {
    this.figure = figure
  }

  // What is to be drawn with the figure, last: the present point, and the marks at a row.
  /** @param {Parts} parts @param {Row} row */
  traces({ traces, ink, present }, row) {
    this.#marks = traces
    const hollow = { name: "", text: "", marker: { symbol: "circle-open", size: 14, color: ink } }
    const ghosts = traces.filter(({ meta }) => present && Array.isArray(meta.follows)).map(trace => {
      const all = Object.entries(coordinates(trace.meta.follows, /** @type {Row} */ (present)))
      return { ...trace, ...Object.fromEntries(all.map(([axis, values]) => [axis, values.slice(-1)])), ...hollow }
    })
    return [...ghosts, ...traces.map(trace => ({ ...trace, ...coordinates(trace.meta.follows, row) }))]
  }

  make() {}

  follow() {}

  /** One after the other, and of the rows that come in meanwhile only the last. @param {Row} row */
  async move(row) {
    this.row = row
    if (this.#isMoving) return
    this.#isMoving = true
    try {
      for (let drawn; drawn !== this.row;) {
        drawn = this.row
        const first = this.figure.element.data.length - this.#marks.length
        for (const [i, { meta }] of this.#marks.entries()) {
          const at = Object.entries(coordinates(meta.follows, drawn)).map(([axis, values]) => [axis, [values]])
          await this.figure.restyle(Object.fromEntries(at), [first + i])
        }
      }
    } finally {
      this.#isMoving = false
    }
  }
}
