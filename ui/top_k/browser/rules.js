// @ts-check
// What a key or a place in a bar makes of a probability, and when the server is told: pure, so that tests can ask.

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

/** What a key makes of a probability; null for a key that means nothing here. @param {string} key @param {number} at */
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

/** One move is under way at a time: the newest that waits goes when the server has answered. */
export class Moves {
  #number = 0
  #heard = 0
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

  /** @param {number} heard */
  answered(heard) {
    this.#heard = heard
    this.#number = Math.max(this.#number, heard)
    this.#next()
  }

  /** The server has not answered for long: go on. */
  giveUp() {
    this.#heard = this.#number
    this.#next()
  }

  /** Whether the server knows of every move. */
  get settled() {
    return !this.#waiting && this.#heard >= this.#number
  }

  #next() {
    if (!this.#waiting || this.#heard < this.#number) return
    const probabilities = this.#waiting
    this.#waiting = null
    this.#number += 1
    this.#send([this.#number, probabilities])
  }
}
