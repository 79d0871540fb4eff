// @ts-check
// Which point the user asks for, and what Python has yet to hear of it. Nothing here knows of the page.

/** @import { Events, Message, Row, Table } from "./messages.d.ts" */

/** @typedef {<E extends keyof Events>(event: E, value: Events[E]) => void} Send */
/** @typedef {{ x: number, y: number }} Place */

export const CONTRACT = 6
export const MILLISECONDS_OF_REST = 150
/** Long texts that are kept for later messages. */
export const MOST_TEXTS = 100
/** Of a click from a curve that it means, in pixels. */
export const REACH = 14

// The message itself; throws where it is of another contract, as from an application that was replaced meanwhile.
/** @param {Message} message */
export function checked(message) {
  if (message?.contract === CONTRACT) return message
  throw new TypeError(`The explorer was sent a message of contract ${message?.contract} instead of ${CONTRACT}.`)
}

/** @param {Table} table @param {number} percent @returns {Row | undefined} */
export function rowAt(table, percent) {
  return table.rows[table.percents.indexOf(percent)]
}

// A row less the points of hidden methods; the chosen method, which is last, is never hidden.
/** @param {Row} row @param {string[]} methods @param {Set<string>} hidden @returns {Row} */
export function withoutHidden(row, methods, hidden) {
  if (!hidden.size) return row
  /** @param {(number | null)[]} values */
  const shown = values => values.map((value, i) => i < methods.length - 1 && hidden.has(methods[i]) ? null : value)
  return { ...row, x: shown(row.x), y: shown(row.y), fp: shown(row.fp), tp: shown(row.tp) }
}

// The target in percent that was typed, within the table's bounds; `percent` where no number was typed.
/** @param {string} typed @param {number} percent @param {Table} table */
export function clamped(typed, percent, { lowest, highest }) {
  const wish = typed && Number.isFinite(Number(typed)) ? Number(typed) : percent
  return Math.min(Math.max(Math.round(wish * 100) / 100, lowest), highest)
}

// How far from a segment between two places a third one lies, and how much of the way along it the nearest point is.
/** @param {number[]} from @param {number[]} to @param {number[]} place */
function distance([x, y], to, place) {
  const [dx, dy] = [to[0] - x, to[1] - y], length = dx * dx + dy * dy
  const share = length && Math.min(Math.max(((place[0] - x) * dx + (place[1] - y) * dy) / length, 0), 1)
  return { away: Math.hypot(x + share * dx - place[0], y + share * dy - place[1]), share }
}

// The target whose point is nearest to a place on one of the curves that are drawn, in pixels; none off all curves.
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

// The thresholds of all classifiers at a place that was clicked; undefined where the click means none.
/** @param {string} chart @param {Place} place @param {Pick<Message, "pair" | "thresholds">} message */
export function pickedThresholds(chart, place, { pair, thresholds }) {
  if (chart !== "space") return undefined
  // A single classifier has its counts across.
  const drawn = new Map([[pair[1], place.y], [pair[0], place.x]])
  return thresholds.map((value, i) => drawn.get(i) ?? value)
}

/** Long texts by the names that stand for them in messages: Python leaves out those that are kept here. */
export class Texts {
  /** Those wanted last come last. @type {Map<string, string>} */
  #kept = new Map()

  get names() {
    return [...this.#kept.keys()]
  }

  /** The message with texts for names; undefined where one is missing. @param {Message} message */
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
    for (const name of this.names.slice(0, -MOST_TEXTS)) this.#kept.delete(name)
    return whole
  }
}

/** What the user chose last. Events are numbered: runs of the page may hear of them late, and in any order. */
export class Choice {
  /** @type {Send} */
  send = () => {}
  texts
  percent = NaN
  driver = ""
  /** @type {Row | undefined} */
  hand
  /** Of the first message on. @type {Table} */
  table = /** @type {any} */ (undefined)
  #text = ""
  #heard = Infinity
  /** The number of the last event, and of the last that was sent to Python. */
  #last = 0
  #sent = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #resting

  constructor(texts = new Texts()) {
    this.texts = texts
  }

  /** @param {Message} message */
  take({ percent, heard, table, hand, driver }) {
    // Python hears of less than before where its session is a new one, and counts anew.
    if (heard < this.#heard) this.#last = this.#sent = heard
    this.#heard = heard
    if (this.#text !== table) {
      this.#text = table
      this.table = JSON.parse(table)
    }
    // Until Python has heard of the user's last event, that one stands, whatever Python says of those before.
    if (heard === this.#last) Object.assign(this, { percent, driver, hand: hand ?? undefined })
    if (!this.row) this.percent = percent
  }

  /** What the table says about the target, or what is said of a point set by hand. */
  get row() {
    return this.hand ?? rowAt(this.table, this.percent)
  }

  /** Whether Python has yet to hear of the last event. */
  get isUnsent() {
    return this.#last !== this.#sent
  }

  /** @param {number} percent */
  move(percent) {
    this.#last++
    this.percent = percent
    this.hand = undefined
    this.driver = ""
  }

  /** Tell Python of the target once it rests: keys pressed one after the other are one wish. */
  release() {
    this.stop()
    this.#resting = setTimeout(() => this.#tell("moved", this.percent), MILLISECONDS_OF_REST)
  }

  // Ask Python for thresholds set by hand, or for a target that the table may not have. One that was on its way is no
  // longer wanted.
  /** @template {"moved" | "picked"} E @param {E} event @param {Events[E][0]} value */
  ask(event, value) {
    this.#last++
    this.#tell(event, value)
  }

  /** Forget what was about to be sent. */
  stop() {
    clearTimeout(this.#resting)
  }

  /** @template {"moved" | "picked"} E @param {E} event @param {Events[E][0]} value */
  #tell(event, value) {
    this.stop()
    this.#sent = this.#last
    this.send(event, /** @type {any} */ ([value, this.#last, this.texts.names]))
  }
}
