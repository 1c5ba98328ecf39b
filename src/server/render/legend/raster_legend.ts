import { isProblem } from '../../../core/problem.ts'
import type { RasterPaint } from '../../../render/image/raster_paint.ts'
import { type MemberRow, memberTable } from '../../../store/classes/member_table.ts'
import { findRasters, type Raster } from '../../../store/classes/raster_layer.ts'
import type { RenderSource } from '../../../store/classes/render_source.ts'
import { findResourceNames } from '../../../store/resource/resource_name.ts'
import type { Color } from '../../../style/color.ts'
import type { LegendEntry } from '../../../style/legend_entries.ts'
import { defaultRow } from '../../classes/row.ts'
import type { ServerContext } from '../../context.ts'
import { renderedLayerId } from '../../map/layer_style.ts'
import { rasterPaint } from '../sources/raster_paint.ts'
import type { Legend } from './legend_content.ts'
import { rampEntries } from './ramp_entries.ts'

/** Opens the legends of rasters and their styles: the colours of values. Rasters with colours of their own are left out. */
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
    const paint = raster && findPaint(raster, style)
    if (raster === undefined || paint?.kind !== 'ramp') continue
    const title = names.get(raster.resourceId)?.displayName ?? ''
    legends.set(id, {
      key: ['raster', id, version, raster.digest, title],
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

function entriesOf({ interpolation, stops }: Extract<RasterPaint, { kind: 'ramp' }>): LegendEntry[] {
  return rampEntries(
    stops.map(({ value, color }) => ({
      label: `${interpolation === 'discrete' ? '≤ ' : ''}${showNumber(value)}`,
      color: color.toLowerCase() as Color,
    })),
  )
}

/** Significant digits of values: those of ranges are computed. */
const digits = 6

const showNumber = (value: number) => String(Number(value.toPrecision(digits)))
