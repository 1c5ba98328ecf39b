import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { LRUCache } from 'lru-cache'
import type { Log } from '../../core/log.ts'
import { decodeTile, encodeTile, type StoredTile } from './tile_file.ts'

/** A tile to find or to store. */
export interface TileName {
  /** Contains everything the tile depends on but the data of layers. */
  readonly key: string
  /** Style that the tile shows; undefined if it shows several. */
  readonly style: number | undefined
  readonly zoom: number
}

/** Number and size of the tiles of a zoom level on disk. */
export interface KeptZoom {
  readonly zoom: number
  readonly tiles: number
  readonly bytes: number
}

/** Tiles on disk. Neither reads nor writes ever fail. */
export interface TileStore {
  /** Finds a tile, which may be outdated. */
  find(name: TileName): Promise<StoredTile | undefined>
  /** Stores a tile in the background in place of an older one, and deletes those that were not used for the longest time if there is no room. */
  keep(name: TileName, tile: StoredTile): void
  /**
   * Counts the tiles of a style by zoom level, with those whose writes have begun; those that it shows together with other
   * styles are not among them.
   */
  count(style: number): Promise<readonly KeptZoom[]>
  /** Deletes the tiles of a style in the background. Tiles of several styles are left. */
  purge(style: number): void
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

/** Number and size of tiles. */
type Sum = Omit<KeptZoom, 'zoom'>

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
  /** Files by folder and zoom level. */
  readonly #counts = new Map<string, Map<number, Sum>>()
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
      onInsert: (bytes, path, reason) => {
        // A file of the same size that replaces another one is not disposed of.
        if (reason !== 'update') this.#count(path, { tiles: 1, bytes })
      },
      dispose: (bytes, path, reason) => {
        this.#count(path, { tiles: -1, bytes: -bytes })
        if (reason === 'evict') this.#remove(path)
      },
    })
    this.counted = this.#run(this.#countFormer())
  }

  async find(name: TileName): Promise<StoredTile | undefined> {
    const path = pathOf(name)
    const file = await readFile(join(this.#folder, path)).catch(() => undefined)
    const tile = file && decodeTile(path, file)
    if (tile !== undefined) this.#sizes.get(path)
    return tile
  }

  keep(name: TileName, tile: StoredTile): void {
    if (this.#isClosed || this.#running.size >= maxWaiting) return
    this.#run(this.#write(pathOf(name), tile))
  }

  async count(style: number): Promise<readonly KeptZoom[]> {
    await this.counted
    await Promise.all(this.#running)
    const zooms = [...(this.#counts.get(folderOf(style)) ?? [])]
    return zooms.map(([zoom, counted]) => ({ zoom, ...counted })).sort((a, b) => a.zoom - b.zoom)
  }

  purge(style: number): void {
    const start = `${folderOf(style)}/`
    for (const path of [...this.#sizes.keys()]) {
      if (!path.startsWith(start)) continue
      this.#sizes.delete(path)
      this.#remove(path)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #count(path: string, { tiles, bytes }: Sum): void {
    const [folder = '', level] = path.split('/')
    const zooms = this.#counts.get(folder) ?? new Map<number, Sum>()
    this.#counts.set(folder, zooms)
    const zoom = Number(level)
    const before = zooms.get(zoom) ?? { tiles: 0, bytes: 0 }
    if (before.tiles + tiles > 0)
      zooms.set(zoom, { tiles: before.tiles + tiles, bytes: before.bytes + bytes })
    else zooms.delete(zoom)
    if (zooms.size === 0) this.#counts.delete(folder)
  }

  #remove(path: string): void {
    this.#run(rm(join(this.#folder, path), { force: true }))
  }

  #run(work: Promise<void>): Promise<void> {
    const running = work
      .catch((error: unknown) => this.#reportFailure(error))
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
    return running
  }

  async #write(path: string, tile: StoredTile): Promise<void> {
    const target = join(this.#folder, path)
    this.#writes += 1
    const partial = join(this.#folder, `${this.#writer}-${this.#writes}${partialSuffix}`)
    const file = encodeTile(path, tile)
    if (occupiedBytes(file.length) > this.#limitBytes) return
    try {
      await mkdir(dirname(target), { recursive: true })
      // Not flushed to disk: a file that is not whole after a power failure is recognized when it is read.
      await writeFile(partial, file, { flag: 'wx', mode: 0o600 })
      await rename(partial, target)
    } catch (error) {
      await rm(partial, { force: true })
      throw error
    }
    this.#isFailing = false
    this.#sizes.set(path, file.length)
  }

  /** Reports the first of several failures in a row. */
  #reportFailure(error: unknown): void {
    if (this.#isFailing) return
    this.#isFailing = true
    const fields = { folder: this.#folder, error: error instanceof Error ? error.message : String(error) }
    this.#log.warn(fields, 'the tile cache cannot be written: tiles are drawn for each request')
  }

  /** Counts the tiles of former runs, the oldest first. */
  async #countFormer(): Promise<void> {
    await mkdir(this.#folder, { recursive: true })
    for (const entry of await readdir(this.#folder)) {
      const isPartial = entry.endsWith(partialSuffix) && !entry.startsWith(this.#writer)
      if (isPartial || formerFolder.test(entry))
        await rm(join(this.#folder, entry), { recursive: true, force: true })
    }
    const found: { readonly path: string; readonly size: number; readonly mtimeMs: number }[] = []
    for (const path of await readdir(this.#folder, { recursive: true })) {
      if (this.#isClosed) return
      const name = path.split(sep).join('/')
      if (!tilePath.test(name)) continue
      const file = await stat(join(this.#folder, path)).catch(() => undefined)
      if (file !== undefined) found.push({ path: name, size: file.size, mtimeMs: file.mtimeMs })
    }
    found.sort((one, other) => one.mtimeMs - other.mtimeMs)
    for (const { path, size } of found) {
      if (this.#sizes.has(path)) continue
      if (occupiedBytes(size) > this.#limitBytes) this.#remove(path)
      else this.#sizes.set(path, size)
    }
  }
}

/** Paths of tiles below the folder: style, zoom level, the first digits of the name, so that no folder has too many entries. */
const tilePath = /^(?:style_\d+|styles)\/\d+\/[0-9a-f]{2}\/[0-9a-f]{64}$/

/** Folders of tiles of versions that had no folders by style. */
const formerFolder = /^[0-9a-f]{2}$/

const folderOf = (style: number | undefined) => (style === undefined ? 'styles' : `style_${style}`)

function pathOf({ key, style, zoom }: TileName): string {
  const name = createHash('sha256').update(key).digest('hex')
  return [folderOf(style), zoom, name.slice(0, 2), name].join('/')
}

function occupiedBytes(sizeBytes: number): number {
  return Math.max(1, Math.ceil(sizeBytes / blockBytes)) * blockBytes
}
