// @ts-check
// The user's choice of a point and the events to Python, independent of the page.

/** @import { Events, Message, Row, Table } from "./messages.d.ts" */

/** @typedef {<E extends keyof Events>(event: E, value: Events[E]) => void} Send */
/** @typedef {{ x: number, y: number }} Place */

export const CONTRACT = 8
export const MILLISECONDS_OF_REST = 150
/** Limit of long texts kept for later messages. */
export const MAX_TEXTS = 100
/** Maximum distance of a click from a curve, in pixels. */
export const REACH = 14

// Return the message; throw for another version of the contract, as after an update of the application.
/** @param {Message} message */
export function checked(message) {
  if (message?.contract === CONTRACT) return message
  throw new TypeError(`The explorer was sent a message of contract ${message?.contract} instead of ${CONTRACT}.`)
}

/** @param {Table} table @param {number} percent @returns {Row | undefined} */
export function rowAt(table, percent) {
  return table.rows[table.percents.indexOf(percent)]
}

// Remove the points of hidden methods from a row; the chosen method, the last, is never hidden.
/** @param {Row} row @param {string[]} methods @param {Set<string>} hidden @returns {Row} */
export function withoutHidden(row, methods, hidden) {
  if (!hidden.size) return row
  /** @param {(number | null)[]} values */
  const shown = values => values.map((value, i) => i < methods.length - 1 && hidden.has(methods[i]) ? null : value)
  return { ...row, x: shown(row.x), y: shown(row.y), fp: shown(row.fp), tp: shown(row.tp) }
}

// The typed target in percent, clamped to the table's bounds; `percent` for anything but a number.
/** @param {string} typed @param {number} percent @param {Table} table */
export function clamped(typed, percent, { lowest, highest }) {
  const value = typed && Number.isFinite(Number(typed)) ? Number(typed) : percent
  return Math.min(Math.max(Math.round(value * 100) / 100, lowest), highest)
}

// The distance of a place from a segment, and the share of the segment up to the nearest point.
/** @param {number[]} from @param {number[]} to @param {number[]} place */
function distance([x, y], to, place) {
  const [dx, dy] = [to[0] - x, to[1] - y], length = dx * dx + dy * dy
  const share = length && Math.min(Math.max(((place[0] - x) * dx + (place[1] - y) * dy) / length, 0), 1)
  return { away: Math.hypot(x + share * dx - place[0], y + share * dy - place[1]), share }
}

// The target of the nearest point on a drawn curve, within `REACH` pixels.
/**
 * @param {Table} table @param {Set<string>} hidden @param {(row: Row) => (number | null)[][]} coordinates
 * @param {{ toPixels: (x: number, y: number) => number[] }} figure @param {number[]} place
 * @returns {number | undefined}
 */
export function targetNear({ methods, percents, rows }, hidden, coordinates, figure, place) {
  let nearest = REACH, found
  for (const [i, method] of methods.entries()) {
    if (i < methods.length - 1 && hidden.has(method)) continue
    /** @type {number[] | undefined} */
    let before
    for (const [j, row] of rows.entries()) {
      const [x, y] = coordinates(row).map(values => values[i])
      if (typeof x !== "number" || typeof y !== "number") continue
      const here = figure.toPixels(x, y), { away, share } = distance(before ?? here, here, place)
      if (away < nearest) [nearest, found] = [away, percents[before && share < 0.5 ? j - 1 : j]]
      before = here
    }
  }
  return found
}

// The thresholds of all classifiers at a clicked place; undefined outside threshold space.
/** @param {string} chart @param {Place} place @param {Pick<Message, "pair" | "thresholds">} message */
export function pickedThresholds(chart, place, { pair, thresholds }) {
  if (chart !== "space") return undefined
  // A single classifier has counts on the second axis.
  const drawn = new Map([[pair[1], place.y], [pair[0], place.x]])
  return thresholds.map((value, i) => drawn.get(i) ?? value)
}

/** Cache of long texts by their names in messages: Python omits the cached ones. */
export class Texts {
  /** In order of last use. @type {Map<string, string>} */
  #kept = new Map()

  get names() {
    return [...this.#kept.keys()]
  }

  /** Replace names in a message by their texts; undefined if one is missing. @param {Message} message */
  filled(message) {
    const charts = Object.entries(message.charts)
    const named = [message.table, ...charts.flatMap(([, { traces, layout }]) => layout ? [...traces, layout] : traces)]
    for (const name of named) {
      const text = message.texts[name] ?? this.#kept.get(name)
      if (text === undefined) return undefined
      this.#kept.delete(name)
      this.#kept.set(name, text)
    }
    /** @param {string} name */
    const text = name => this.#kept.get(name) ?? ""
    const filled = charts.map(([name, chart]) =>
      [name, { ...chart, traces: chart.traces.map(text), layout: text(chart.layout) }])
    const whole = { ...message, texts: {}, table: text(message.table), charts: Object.fromEntries(filled) }
    for (const name of this.names.slice(0, -MAX_TEXTS)) this.#kept.delete(name)
    return whole
  }
}

/** The user's last choice. Events are numbered, because runs of the page may receive them late and in any order. */
export class Choice {
  /** @type {Send} */
  send = () => {}
  texts
  percent = NaN
  goal = ""
  /** @type {Row | undefined} */
  hand
  /** Set by the first message. @type {Table} */
  table = /** @type {any} */ (undefined)
  #text = ""
  #acknowledged = Infinity
  /** The numbers of the last event and of the last one sent. */
  #last = 0
  #sent = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #resting

  constructor(texts = new Texts()) {
    this.texts = texts
  }

  /** @param {Message} message */
  take({ percent, acknowledged, table, hand, goal }) {
    // A new session of Python restarts the count.
    if (acknowledged < this.#acknowledged) this.#last = this.#sent = acknowledged
    this.#acknowledged = acknowledged
    if (this.#text !== table) {
      this.#text = table
      this.table = JSON.parse(table)
    }
    // Ignore Python's state until it has acknowledged the user's last event.
    if (acknowledged === this.#last) Object.assign(this, { percent, goal, hand: hand ?? undefined })
    if (!this.row) this.percent = percent
  }

  /** The row of a manual point, or of the target. */
  get row() {
    return this.hand ?? rowAt(this.table, this.percent)
  }

  /** Whether the last event is not sent yet. */
  get isUnsent() {
    return this.#last !== this.#sent
  }

  /** @param {number} percent */
  move(percent) {
    this.#last++
    this.percent = percent
    this.hand = undefined
    this.goal = ""
  }

  /** Send the target once it rests, so that several key presses are one event. */
  release() {
    this.stop()
    this.#resting = setTimeout(() => this.#emit("moved", this.percent), MILLISECONDS_OF_REST)
  }

  // Request manual thresholds, or a target that the table may lack, instead of a pending one.
  /** @template {"moved" | "picked"} E @param {E} event @param {Events[E][0]} value */
  ask(event, value) {
    this.#last++
    this.#emit(event, value)
  }

  /** Cancel the pending event. */
  stop() {
    clearTimeout(this.#resting)
  }

  /** @template {"moved" | "picked"} E @param {E} event @param {Events[E][0]} value */
  #emit(event, value) {
    this.stop()
    this.#sent = this.#last
    this.send(event, /** @type {any} */ ([value, this.#last, this.texts.names]))
  }
}
