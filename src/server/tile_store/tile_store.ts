import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LRUCache } from 'lru-cache'
import type { Log } from '../../core/log.ts'
import type { DrawnImage } from '../../render/image/draw_job.ts'
import { decodeTile, encodeTile } from './tile_file.ts'

/** Tiles on disk, with keys that contain everything a tile depends on. Neither reads nor writes ever fail. */
export interface TileStore {
  /** Finds a tile. */
  find(key: string): Promise<DrawnImage | undefined>
  /** Stores a tile in the background, and deletes those that were not used for the longest time if there is no room. */
  keep(key: string, image: DrawnImage): void
  /** Resolves when the tiles of former runs are counted. */
  readonly counted: Promise<void>
  /** Waits for the writes that have begun. */
  close(): Promise<void>
}

/** Where tiles are stored. */
export interface TileStoreOptions {
  readonly folder: string
  /** Maximum size of all tiles. */
  readonly limitBytes: number
  readonly log: Log
}

/** Maximum number of tiles that wait to be written; further tiles are not stored. */
const maxWaiting = 64

/** Files occupy whole blocks of this size. */
const blockBytes = 4096

const partialSuffix = '.partial'

/** Opens a folder of tiles. What is in it is counted in the background; files that were not completed are deleted. */
export function openTileStore(options: TileStoreOptions): TileStore {
  return new DiskTiles(options)
}

class DiskTiles implements TileStore {
  readonly counted: Promise<void>
  readonly #folder: string
  readonly #log: Log
  readonly #limitBytes: number
  /** Begins the names of the files that this store is writing. */
  readonly #writer = randomUUID()
  #writes = 0
  /** Size of each file. */
  readonly #sizes: LRUCache<string, number>
  readonly #running = new Set<Promise<void>>()
  #isFailing = false
  #isClosed = false

  constructor({ folder, limitBytes, log }: TileStoreOptions) {
    this.#folder = folder
    this.#log = log
    this.#limitBytes = limitBytes
    this.#sizes = new LRUCache({
      maxSize: limitBytes,
      sizeCalculation: occupiedBytes,
      dispose: (_, name, reason) => {
        if (reason === 'evict') this.#remove(name)
      },
    })
    this.counted = this.#run(this.#count())
  }

  async find(key: string): Promise<DrawnImage | undefined> {
    const name = nameOf(key)
    const file = await readFile(this.#pathOf(name)).catch(() => undefined)
    const tile = file && decodeTile(name, file)
    if (tile !== undefined) this.#sizes.get(name)
    return tile
  }

  keep(key: string, image: DrawnImage): void {
    if (this.#isClosed || this.#running.size >= maxWaiting) return
    this.#run(this.#write(nameOf(key), image))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  /** Tiles are spread over folders, so that none has too many entries. */
  #pathOf(name: string): string {
    return join(this.#folder, name.slice(0, 2), name)
  }

  #remove(name: string): void {
    this.#run(rm(this.#pathOf(name), { force: true }))
  }

  #run(work: Promise<void>): Promise<void> {
    const running = work
      .catch((error: unknown) => this.#reportFailure(error))
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
    return running
  }

  async #write(name: string, image: DrawnImage): Promise<void> {
    const path = this.#pathOf(name)
    this.#writes += 1
    const partial = join(this.#folder, `${this.#writer}-${this.#writes}${partialSuffix}`)
    const file = encodeTile(name, image)
    if (occupiedBytes(file.length) > this.#limitBytes) return
    try {
      await mkdir(dirname(path), { recursive: true })
      // Not flushed to disk: a file that is not whole after a power failure is recognized when it is read.
      await writeFile(partial, file, { flag: 'wx', mode: 0o600 })
      await rename(partial, path)
    } catch (error) {
      await rm(partial, { force: true })
      throw error
    }
    this.#isFailing = false
    this.#sizes.set(name, file.length)
  }

  /** Reports the first of several failures in a row. */
  #reportFailure(error: unknown): void {
    if (this.#isFailing) return
    this.#isFailing = true
    const fields = { folder: this.#folder, error: error instanceof Error ? error.message : String(error) }
    this.#log.warn(fields, 'the tile cache cannot be written: tiles are drawn for each request')
  }

  /** Counts the tiles of former runs, the oldest first. */
  async #count(): Promise<void> {
    await mkdir(this.#folder, { recursive: true })
    const found: { readonly name: string; readonly size: number; readonly mtimeMs: number }[] = []
    for (const entry of await readdir(this.#folder)) {
      const path = join(this.#folder, entry)
      const isPartial = entry.endsWith(partialSuffix) && !entry.startsWith(this.#writer)
      if (isPartial) await rm(path, { force: true })
      if (!/^[0-9a-f]{2}$/.test(entry)) continue
      for (const name of await readdir(path)) {
        if (this.#isClosed) return
        const file = await stat(join(path, name)).catch(() => undefined)
        if (file !== undefined) found.push({ name, size: file.size, mtimeMs: file.mtimeMs })
      }
    }
    found.sort((one, other) => one.mtimeMs - other.mtimeMs)
    for (const { name, size } of found) {
      if (this.#sizes.has(name)) continue
      if (occupiedBytes(size) > this.#limitBytes) this.#remove(name)
      else this.#sizes.set(name, size)
    }
  }
}

function occupiedBytes(sizeBytes: number): number {
  return Math.max(1, Math.ceil(sizeBytes / blockBytes)) * blockBytes
}

function nameOf(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}
