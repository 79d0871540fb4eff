// @ts-check
// Which point the user asks for, and what Python has yet to hear of it. Nothing here knows of the page.

/** @import { Events, Message, Row, Space, Table } from "./messages.d.ts" */

/** @typedef {<E extends keyof Events>(event: E, value: Events[E]) => void} Send */
/** @typedef {{ x: number, y: number, customdata?: ArrayLike<unknown> }} Place */

export const MILLISECONDS_OF_REST = 150

/** @type {Record<keyof Message, string>} */
const KINDS = {
  library: "string", about: "string", target: "object", table: "string", charts: "object", key: "object",
  explanations: "object", question: "string", note: "string", intervals: "object?", hand: "object?", present: "object?",
  driver: "string", space: "object",
}

/** @param {unknown} value @param {string} kind */
const isOf = (value, kind) => value === null ? kind.endsWith("?") : typeof value === kind.replace("?", "")

// The message itself; throws where it is not of the kind that was agreed on.
/** @param {any} message @returns {Message} */
export function checked(message) {
  const wrong = Object.entries(KINDS).filter(([name, kind]) => !isOf(message?.[name], kind)).map(([name]) => name)
  if (wrong.length) throw new TypeError(`The explorer was sent no usable ${wrong.join(", ")}.`)
  return message
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

// The thresholds of all classifiers at a place that was clicked; undefined where the click means none.
/** @param {string} chart @param {Place} place @param {Space} space @returns {(number | null)[] | undefined} */
export function pickedThresholds(chart, place, { pair, thresholds }) {
  if (chart === "plane" && place.customdata) {
    return Array.from(place.customdata, Number).map(value => Number.isFinite(value) ? value : null)
  }
  if (chart !== "space") return undefined
  const picked = [...thresholds]
  if (picked.length === 1) picked[0] = place.x
  else [picked[pair[0]], picked[pair[1]]] = [place.x, place.y]
  return picked
}

/** What the user chose last. Events are numbered: runs of the page may hear of them late, and in any order. */
export class Choice {
  /** @type {Send} */
  send = () => {}
  percent = NaN
  driver = ""
  /** @type {Row | undefined} */
  hand
  /** @type {Table} */
  table = { percents: [], lowest: 0, highest: 100, step: 1, methods: [], rows: [], certified: null }
  #text = ""
  #heard = Infinity
  /** The number of the last event, and of the last that was sent to Python. */
  #last = 0
  #sent = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #resting

  /** @param {Message} message */
  take({ target, table, hand, driver }) {
    // Python hears of less than before where its session is a new one, and counts anew.
    if (target.heard < this.#heard) this.#last = this.#sent = target.heard
    this.#heard = target.heard
    if (this.#text !== table) {
      this.#text = table
      this.table = JSON.parse(table)
    }
    // Until Python has heard of the user's last event, that one stands, whatever Python says of those before.
    if (target.heard === this.#last) {
      this.percent = target.percent
      this.hand = hand ?? undefined
      this.driver = driver
    }
    if (!this.row) this.percent = target.percent
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
    this.#resting = setTimeout(() => this.#moved(this.percent), MILLISECONDS_OF_REST)
  }

  /** Ask Python for a target that the table may not have. @param {number} percent */
  ask(percent) {
    this.stop()
    this.#last++
    this.#moved(percent)
  }

  // Tell Python of thresholds set by hand. A target that was on its way is no longer wanted.
  /** @param {(number | null)[]} thresholds */
  pick(thresholds) {
    this.stop()
    this.#sent = ++this.#last
    this.send("picked", [thresholds, this.#last])
  }

  /** Forget what was about to be sent. */
  stop() {
    clearTimeout(this.#resting)
  }

  /** @param {number} percent */
  #moved(percent) {
    this.#sent = this.#last
    this.send("moved", [percent, this.#last])
  }
}
