import { isProblem } from '../../../core/problem.ts'
import type { RasterPaint, ValueRange } from '../../../render/image/raster_paint.ts'
import { type MemberRow, memberTable } from '../../../store/classes/member_table.ts'
import { findRasters, type Raster } from '../../../store/classes/raster_layer.ts'
import type { RenderSource } from '../../../store/classes/render_source.ts'
import { findResourceNames } from '../../../store/resource/resource_name.ts'
import type { Color } from '../../../style/color.ts'
import type { LegendEntry } from '../../../style/legend_entries.ts'
import { defaultRow } from '../../classes/row.ts'
import type { ServerContext } from '../../context.ts'
import { renderedLayerId } from '../../map/layer_style.ts'
import { hasRasterLegend, rasterPaint } from '../sources/raster_paint.ts'
import { type Legend, legendVersion } from './legend_content.ts'
import { rampEntries } from './ramp_entries.ts'

/** Opens the legends of rasters and their styles: the colours of values. Rasters with colours of 8 bits are left out. */
export async function openRasterLegends(
  { database }: ServerContext,
  resources: readonly RenderSource[],
): Promise<Map<number, Legend>> {
  const layerIds = resources.map(renderedLayerId)
  const [rasters, names, styles] = await Promise.all([
    findRasters(database, layerIds),
    findResourceNames(database, layerIds),
    memberTable('raster_style').find(
      database,
      resources.map(({ id }) => id),
    ),
  ])
  const legends = new Map<number, Legend>()
  for (const resource of resources) {
    const { id, version } = resource
    const raster = rasters.get(renderedLayerId(resource))
    const style = styles.get(id) ?? defaultRow('raster_style')
    const paint = raster && hasRasterLegend(raster) ? findPaint(raster, style) : undefined
    if (raster === undefined || paint === undefined) continue
    const title = names.get(raster.resourceId)?.displayName ?? ''
    legends.set(id, {
      key: [legendVersion, 'raster', id, version, raster.digest, title],
      title,
      family: 'POLYGON',
      opacity: style.opacity,
      entries: entriesOf(paint),
    })
  }
  return legends
}

function findPaint(raster: Raster, style: MemberRow<'raster_style'>): RasterPaint | undefined {
  try {
    return rasterPaint(raster, style)
  } catch (error) {
    // What is not drawn has no legend.
    if (isProblem(error, 'render/unsupported')) return undefined
    throw error
  }
}

function entriesOf(paint: RasterPaint): LegendEntry[] {
  if (paint.kind === 'color') return rampEntries(bandEntries(paint.ranges ?? []))
  const { interpolation, stops } = paint
  return rampEntries(
    stops.map(({ value, color }) => ({
      label: `${interpolation === 'discrete' ? '≤ ' : ''}${showNumber(value)}`,
      color: color.toLowerCase() as Color,
    })),
  )
}

/** Colours of the bands of a raster with colours. */
const bandColors = [
  { name: 'Red', color: '#ff0000' },
  { name: 'Green', color: '#00ff00' },
  { name: 'Blue', color: '#0000ff' },
] as const

/** The values of each band that are drawn from black to its colour. */
function bandEntries(ranges: readonly ValueRange[]) {
  return bandColors.flatMap(({ name, color }, at) => {
    const range = ranges[at]
    return range === undefined ? [] : [{ label: `${name} ${range.map(showNumber).join(' – ')}`, color }]
  })
}

/** Significant digits of values: those of ranges are computed. */
const digits = 6

const showNumber = (value: number) => String(Number(value.toPrecision(digits)))
