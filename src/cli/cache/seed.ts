import { InvalidArgumentError } from 'commander'
import PQueue from 'p-queue'
import type { Api } from '../../api/api.ts'
import { problem } from '../../contract/problems.ts'
import { countOf, showNumber } from '../../core/count.ts'
import type { Bbox } from '../../geo/bbox.ts'
import { type TileAddress, tileAt } from '../../geo/tile.ts'
import type { CommandInput, CommandSpec } from '../command.ts'
import { eventOptions, parseBox, parseCount } from '../options.ts'
import { withServer } from '../principals.ts'
import { writeEvent } from '../print/events.ts'
import { spinner, startLive } from '../print/live.ts'
import { plainLine, showBytes, showDuration } from '../print/text_format.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { type CachedStyle, findStyle, nameStyle } from './style.ts'

/** Maximum number of tiles of a command: more than a cache holds. */
const maxTiles = 1_000_000

/** Zoom levels, from the first to the last. */
type Zooms = readonly [first: number, last: number]

/** The command `cache seed`. */
export const seedCommand: CommandSpec = {
  name: 'seed',
  summary: 'draw the tiles of a style before they are requested, so that the server keeps them',
  notes: [
    'Tiles that the server has are not drawn again: an interrupted command continues when it is repeated.',
  ],
  examples: [
    'landform cache seed roads_style',
    'landform cache seed roads_style --zoom 0-10 --bbox 10,59,11,60',
    'landform cache seed City/Roads/Grey --zoom 12',
  ],
  declare: (command) =>
    eventOptions(
      command
        .argument('<style>', 'keyname, id, or path of names')
        .option('--zoom <levels>', 'zoom levels, such as 0-8 (default: 0 to max_z of the style)', parseZooms)
        .option('--bbox <w,s,e,n>', 'box in degrees (default: extent of the layer)', parseBox)
        .option('--concurrency <count>', 'maximum number of concurrent requests (default: 4)', parseCount),
    ),
  run: ({ arguments: [name], options }, terminal) =>
    withServer(options, terminal, async (api) => {
      const style = await findStyle(api, String(name), terminal.interrupt)
      await seed({ api, style, options, terminal })
    }),
}

/** Tiles of one zoom level: columns and rows from the first to the last. */
interface TileRange {
  readonly z: number
  readonly columns: readonly [first: number, last: number]
  readonly rows: readonly [first: number, last: number]
}

/** Side of the squares in which tiles are listed: the server places the labels of such a square at once. */
const side = 4

function parseZooms(text: string): Zooms {
  const [, first, last = first] = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(text) ?? []
  const zooms: Zooms = [Number(first), Number(last)]
  if (first === undefined || zooms[0] > zooms[1] || zooms[1] > 24)
    throw new InvalidArgumentError('Use a zoom level from 0 to 24, or a range such as 0-8.')
  return zooms
}

interface Seeding {
  readonly api: Api
  readonly style: CachedStyle
  readonly options: CommandInput['options']
  readonly terminal: Terminal
}

async function seed(seeding: Seeding): Promise<void> {
  const { api, style, options, terminal } = seeding
  const [first, last] = chooseZooms(style, options.zoom as Zooms | undefined)
  const box = (options.bbox as Bbox | undefined) ?? (await readExtent(seeding))
  const levels = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  const ranges = box === undefined ? [] : levels.map((z) => tileRange(box, z))
  const total = ranges.reduce((sum, range) => sum + countTiles(range), 0)
  if (total > maxTiles)
    throw problem(
      'usage/bad-argument',
      `These are ${showNumber(total)} tiles, more than ${showNumber(maxTiles)}.`,
      {
        hint: 'Choose fewer zoom levels with --zoom, or a smaller box with --bbox.',
      },
    )
  const start = performance.now()
  const done = await drawAll(seeding, ranges, total)
  const { tiles, bytes } = await api.call('tile_cache.count', { params: { id: style.id } })
  const took = showDuration(performance.now() - start)
  if (options.json)
    writeEvent(terminal.out, 'tile_cache_seeded', { style: style.id, requested: done, tiles, bytes })
  else
    writeLine(
      terminal.out,
      `${plainLine(nameStyle(style))}: ${countOf(done, 'tile')} requested in ${took}, ${showNumber(tiles)} kept (${showBytes(bytes)})`,
    )
  if (tiles < done)
    writeLine(
      terminal.err,
      'warning: the server keeps fewer tiles: its limit is --tile-cache-size of landform serve',
    )
  if (done < total) throw interrupted(done, total)
}

const interrupted = (done: number, total: number) =>
  problem('pipeline/interrupted', `Interrupted after ${showNumber(done)} of ${countOf(total, 'tile')}.`, {
    hint: 'Repeat the command to continue.',
  })

function chooseZooms({ enabled, maxZ, ...style }: CachedStyle, zooms: Zooms | undefined): Zooms {
  const name = nameStyle({ enabled, maxZ, ...style })
  if (!enabled)
    throw problem('usage/bad-argument', `The server keeps no tiles of "${name}".`, {
      hint: 'Set tile_cache.enabled of the style.',
    })
  const [first, last] = zooms ?? [0, maxZ]
  if (last === null)
    throw problem('usage/bad-argument', `"${name}" has no highest zoom level.`, {
      hint: 'Use --zoom, such as 0-8.',
    })
  if (maxZ !== null && last > maxZ)
    throw problem(
      'usage/bad-argument',
      `The server keeps tiles of "${name}" up to zoom level ${maxZ}, not ${last}.`,
      {
        hint: 'Change tile_cache.max_z of the style, or --zoom.',
      },
    )
  return [first, last]
}

/** Reads the extent of the layer; undefined if it is empty. */
async function readExtent({ api, style, terminal }: Seeding): Promise<Bbox | undefined> {
  const params = { id: style.layerId }
  const { extent } = await api.call('layer.extent', { params, signal: terminal.interrupt })
  const { minLon, minLat, maxLon, maxLat } = extent
  if (minLon === null || minLat === null || maxLon === null || maxLat === null) return undefined
  return [minLon, minLat, maxLon, maxLat]
}

/** Requests all tiles, and returns how many were answered. Stops at an interruption, and at the first failure. */
async function drawAll(seeding: Seeding, ranges: readonly TileRange[], total: number): Promise<number> {
  const { options, terminal } = seeding
  const queue = new PQueue({ concurrency: (options.concurrency as number | undefined) ?? 4 })
  const stop = new AbortController()
  const signal = AbortSignal.any([terminal.interrupt, stop.signal])
  const state: { done: number; zoom: number; fault?: unknown } = { done: 0, zoom: 0 }
  const describe = () => `${showNumber(state.done)} of ${countOf(total, 'tile')}, zoom level ${state.zoom}`
  const live =
    terminal.canRedraw && !options.json
      ? startLive(terminal.err, () => [`${spinner(performance.now())} ${describe()}`])
      : undefined
  const drawNext = async (tile: TileAddress) => {
    if (signal.aborted) return
    await drawTile(seeding, tile, signal)
    state.done += 1
    state.zoom = tile.z
  }
  for (const tile of listTiles(ranges)) {
    await queue.onSizeLessThan(queue.concurrency)
    if (signal.aborted) break
    queue
      .add(() => drawNext(tile))
      .catch((error: unknown) => {
        if (!signal.aborted) state.fault = error
        stop.abort()
      })
  }
  await queue.onIdle()
  live?.end()
  if (state.fault !== undefined) throw state.fault
  return state.done
}

async function drawTile(
  { api, style }: Seeding,
  { z, x, y }: TileAddress,
  signal: AbortSignal,
): Promise<void> {
  const query = { resource: [style.id], z, x, y, nd: 204, format: 'png' as const }
  const { body } = await api.open('render.tile', { query, signal })
  for await (const _ of body);
}

/** Returns the tiles of a zoom level that a box in degrees touches. */
export function tileRange([west, south, east, north]: Bbox, z: number): TileRange {
  const [first, last] = [tileAt([west, north], z), tileAt([east, south], z)]
  return { z, columns: [first.x, last.x], rows: [first.y, last.y] }
}

/** Counts the tiles of a range. */
function countTiles({ columns, rows }: TileRange): number {
  return (columns[1] - columns[0] + 1) * (rows[1] - rows[0] + 1)
}

/** Lists the tiles of ranges, square by square. */
export function* listTiles(ranges: Iterable<TileRange>): Generator<TileAddress> {
  for (const range of ranges) yield* listRange(range)
}

function* listRange({ z, columns, rows }: TileRange): Generator<TileAddress> {
  for (const squareRows of squaresOf(rows))
    for (const squareColumns of squaresOf(columns))
      for (const y of squareRows) yield* squareColumns.map((x) => ({ z, x, y }))
}

/** Divides columns or rows into those of each square. */
function* squaresOf([first, last]: readonly [number, number]): Generator<number[]> {
  for (let start = first - (first % side); start <= last; start += side)
    yield Array.from({ length: side }, (_, at) => start + at).filter((one) => one >= first && one <= last)
}
