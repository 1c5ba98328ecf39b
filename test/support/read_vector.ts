/** Prints the content of a vector file as read by GDAL, as JSON. Run by `readExport` in a separate process. */
import gdal from 'gdal-async'
import type { ReadLayer } from './exports.ts'

const [path = ''] = process.argv.slice(2)
const dataset = gdal.open(path)
const layers = dataset.layers.map((layer): ReadLayer => {
  const fields = layer.fields.map(({ name, type }) => ({ name, type }))
  const features = layer.features.map((feature) => ({
    id: feature.fid,
    wkt: feature.getGeometry()?.toWKT() ?? null,
    values: Object.fromEntries(
      fields.map(({ name }) => [name, plain(feature.fields.get(name) as unknown)] as const),
    ),
  }))
  return { name: layer.name, srs: layer.srs?.toProj4().trim() ?? null, fields, features }
})
process.stdout.write(JSON.stringify({ driver: dataset.driver.description, layers }))

/** GDAL returns dates and times as objects of their parts. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.values(value)
    .filter((part) => typeof part === 'number')
    .join(' ')
}
