import { execFileSync } from 'node:child_process'
import { createReadStream, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RasterFacts } from '../../../src/contract/bodies/raster.ts'
import type { Bbox } from '../../../src/geo/bbox.ts'
import { openContext } from '../../../src/server/start.ts'
import { insertPreparedRaster } from '../../../src/store/upload/prepared_raster.ts'
import { benchPassword, type ServerOrder } from './server.ts'
import { seededRandom } from './tile_addresses.ts'

/** Pixels along each edge of the raster. */
export const rasterSize = 20_000

/** Box of the raster in EPSG:3857. */
export const rasterBox: Bbox = [0, 5_000_000, 2_000_000, 7_000_000]

const pixelSize = 100

const facts: RasterFacts = {
  srs: 3857,
  xsize: rasterSize,
  ysize: rasterSize,
  dtype: 'Byte',
  colorInterpretation: ['Red', 'Green', 'Blue', 'Alpha'],
  geoTransform: [rasterBox[0], pixelSize, 0, rasterBox[3], 0, -pixelSize],
  statistics: null,
}

/** Random pixels along each edge. */
const randomSize = 1250

/** Creation options of the server, with a lower level of compression, which takes less time. */
const cogOptions = [
  'COMPRESS=DEFLATE',
  'PREDICTOR=YES',
  'BLOCKSIZE=256',
  'OVERVIEW_RESAMPLING=AVERAGE',
  'BIGTIFF=IF_SAFER',
  'LEVEL=1',
  'NUM_THREADS=ALL_CPUS',
]

/**
 * Writes slopes and noise in red, green, blue and alpha as a cloud optimized GeoTIFF, the same in every run; GDAL enlarges
 * random pixels with interpolation.
 */
export function writeRaster(folder: string): string {
  const [raw, large] = [join(folder, 'random.raw'), join(folder, 'large.tif')]
  writeFileSync(raw, randomPixels())
  const header = ['samples', 'lines'].map((name) => `${name} = ${randomSize}\n`).join('')
  writeFileSync(`${raw}.hdr`, `ENVI\n${header}bands = 4\ndata type = 1\ninterleave = bip\n`)
  const bands = ['red', 'green', 'blue', 'alpha'].flatMap((name, at) => [`-colorinterp_${at + 1}`, name])
  const [minX, minY, maxX, maxY] = rasterBox.map(String) as [string, string, string, string]
  const place = ['-a_srs', 'EPSG:3857', '-a_ullr', minX, maxY, maxX, minY]
  const size = ['-outsize', String(rasterSize), String(rasterSize), '-r', 'bilinear']
  const creation = cogOptions.flatMap((option) => ['-co', option])
  execFileSync('gdal_translate', ['-q', raw, large, '-of', 'COG', ...place, ...bands, ...size, ...creation])
  rmSync(raw)
  return large
}

/**
 * Stores a raster as prepared by the administrator, without the conversion of an upload, which takes minutes. Returns the
 * source of a layer.
 */
export async function prepareRaster(
  order: ServerOrder,
  file: string,
): Promise<{ readonly prepared: string }> {
  const listen = { host: '127.0.0.1', port: 0 }
  const { context } = await openContext({ ...order, listen, adminPassword: benchPassword })
  const { database, blobs } = context
  try {
    const blob = await blobs.put(createReadStream(file))
    await database.query('insert into blob (digest, size_bytes) values ($1, $2::bigint)', [
      blob.digest,
      blob.sizeBytes,
    ])
    const [user] = await database.query<{ id: number }>(
      `select id from principal where keyname = 'administrator'`,
    )
    const stored = { userId: user?.id ?? 0, layerId: null, blob, sourceDigest: blob.digest, sourceName: null }
    const prepared = await insertPreparedRaster(database, { ...stored, facts })
    if (prepared === undefined) throw new Error('the raster was not stored')
    return { prepared }
  } finally {
    await database.close()
  }
}

function randomPixels(): Buffer {
  const random = seededRandom(20261123)
  const row = 4 * randomSize
  const pixels = Buffer.alloc(row * randomSize, 255)
  for (let at = 0; at < pixels.length; at += 1) {
    const slope = Math.sin((at % row) / 400) * Math.cos(at / row / 50)
    if (at % 4 < 3) pixels[at] = 128 + 90 * slope + 31 * random()
  }
  return pixels
}
