// @ts-check
// The files in the browser's IndexedDB. Whoever asks hears of a storage that is refused by an exception.

/** @import { KeptFile } from "./rules.js" */

const DATABASE = "multiloss"
const FILES = "files"

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

export class Shelf {
  /** @type {Promise<IDBDatabase> | undefined} */
  #database

  /** Everything that is kept; the contents are read only where they are used. @returns {Promise<KeptFile[]>} */
  async files() {
    return done((await this.#store("readonly")).getAll())
  }

  /** Kept once this is fulfilled; rejected where there is no room left. @param {KeptFile} file */
  async put(file) {
    const store = await this.#store("readwrite"), { transaction } = store
    store.put(file)
    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve
      transaction.onabort = () => reject(transaction.error)
    })
  }

  /** @param {KeptFile[]} files */
  async remove(files) {
    for (const { shelf, digest } of files) await done((await this.#store("readwrite")).delete([shelf, digest]))
  }

  /** @param {IDBTransactionMode} mode */
  async #store(mode) {
    const database = await (this.#database ??= this.#opened())
    return database.transaction(FILES, mode).objectStore(FILES)
  }

  async #opened() {
    const opening = indexedDB.open(DATABASE, 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore(FILES, { keyPath: ["shelf", "digest"] })
    const database = await done(opening)
    // Another tab with a newer application must not wait for this one.
    database.onversionchange = () => database.close()
    return database
  }
}
