import type { Dataset, RasterBand } from 'gdal-async'

/** Ranges of the integer types for which GDAL averages also transparent pixels to overviews, unless they have an empty value. */
const ranges: Readonly<Record<string, readonly [min: number, max: number]>> = {
  Int16: [-32_768, 32_767],
  Int32: [-2_147_483_648, 2_147_483_647],
  UInt32: [0, 4_294_967_295],
}

/** Number of values that are tried if both ends of the range are in use. */
const candidates = 257

/**
 * Returns the value of pixels without data, for types that need one; overviews have it for the alpha of empty pixels, too. GDAL
 * changes pixels with data that have it, so that no pixel has it, unless all values that are tried are in use.
 */
export function findEmptyValue({ bands }: Dataset): number | undefined {
  const values = [...bands].filter(({ colorInterpretation }) => colorInterpretation !== 'Alpha')
  const type = values[0]?.dataType ?? ''
  if (type === 'Float32' || type === 'Float64') return Number.NaN
  const range = ranges[type]
  if (range === undefined) return undefined
  const [min, max] = range
  const step = Math.floor((max - min) / (candidates - 1))
  // Those inside are rarely in use: they are neither round nor small.
  const inside = Array.from({ length: candidates - 2 }, (_, at) => min + (at + 1) * step - 1)
  const preferred = type === 'UInt32' ? [max, min] : [min, max]
  const free = new Set([...preferred, ...inside])
  for (const band of values) removeUsed(free, band)
  return free.values().next().value ?? preferred[0]
}

/** Removes values that pixels of a band have. */
function removeUsed(free: Set<number>, band: RasterBand): void {
  const { x: width, y: height } = band.size
  const rows = 256
  for (let top = 0; top < height && free.size > 0; top += rows) {
    const pixels = band.pixels.read(0, top, width, Math.min(rows, height - top))
    for (const one of pixels) if (free.has(one)) free.delete(one)
  }
}
