// @ts-check
// Pure rules of the bars: probabilities after keys and pointer positions, and when to send moves.

/** @import { BarsMessage } from "./messages.js" */

export const CONTRACT = 1
const STEP = 0.01, LEAP = 0.1

/** @param {BarsMessage} message */
export function checkedMessage(message) {
  if (message?.contract !== CONTRACT) {
    throw new Error("This page is older than the server: reload it.")
  }
  return message
}

/** Two digits, between 0 and 1. @param {number} value */
export function asProbability(value) {
  return Math.round(100 * Math.min(Math.max(value, 0), 1)) / 100
}

/** The probability after a key; null for other keys. @param {string} key @param {number} at */
export function afterKey(key, at) {
  switch (key) {
    case "ArrowUp": case "ArrowRight": return asProbability(at + STEP)
    case "ArrowDown": case "ArrowLeft": return asProbability(at - STEP)
    case "PageUp": return asProbability(at + LEAP)
    case "PageDown": return asProbability(at - LEAP)
    case "Home": return 0
    case "End": return 1
    default: return null
  }
}

/** Send one move at a time: the newest waiting one follows the server's response. */
export class Moves {
  #number = 0
  #acknowledged = 0
  /** @type {number[] | null} */
  #waiting = null
  /** @param {(moved: [number, number[]]) => void} send */
  constructor(send) {
    this.#send = send
  }
  #send

  /** @param {number[]} probabilities */
  add(probabilities) {
    this.#waiting = probabilities
    this.#next()
  }

  /** @param {number} acknowledged */
  acknowledge(acknowledged) {
    this.#acknowledged = acknowledged
    this.#number = Math.max(this.#number, acknowledged)
    this.#next()
  }

  /** Continue after a timeout. */
  skipResponse() {
    this.#acknowledged = this.#number
    this.#next()
  }

  /** Whether the server has acknowledged every move. */
  get settled() {
    return !this.#waiting && this.#acknowledged >= this.#number
  }

  #next() {
    if (!this.#waiting || this.#acknowledged < this.#number) return
    const probabilities = this.#waiting
    this.#waiting = null
    this.#number += 1
    this.#send([this.#number, probabilities])
  }
}
