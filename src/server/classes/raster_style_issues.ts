import type { Issue } from '../../core/issue.ts'
import { isProblem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { memberTable } from '../../store/classes/member_table.ts'
import { findRasterStyles, findRasters, type RasterStyle } from '../../store/classes/raster_layer.ts'
import { rasterPaint } from '../render/sources/raster_paint.ts'
import type { WrittenResource } from './style_issues.ts'

/**
 * Returns the issues of raster styles that cannot colour their raster, by the resource that a request wrote: the style, or the
 * layer whose data it replaced.
 */
export async function findRasterStyleIssues(
  tx: Queryable,
  written: readonly WrittenResource[],
): Promise<Map<number, Issue[]>> {
  const ids = new Set(
    written.filter(({ cls }) => cls === 'raster_style' || cls === 'raster_layer').map(({ id }) => id),
  )
  const found = new Map<number, Issue[]>()
  if (ids.size === 0) return found
  const styles = await findRasterStyles(tx, [...ids])
  const faults = await findFaults(tx, styles)
  for (const { id, layerId, name } of styles) {
    const fault = faults.get(id)
    if (fault === undefined) continue
    const message = `the style ${JSON.stringify(name)} cannot be drawn: ${fault}`
    const hint = 'change the style, or load a raster that it can colour'
    const writtenId = ids.has(id) ? id : layerId
    found.set(writtenId, [
      ...(found.get(writtenId) ?? []),
      { code: 'style/unknown', severity: 'warning', message, hint },
    ])
  }
  return found
}

async function findFaults(tx: Queryable, styles: readonly RasterStyle[]): Promise<Map<number, string>> {
  const rasters = await findRasters(tx, [...new Set(styles.map(({ layerId }) => layerId))])
  const rows = await memberTable('raster_style').find(
    tx,
    styles.map(({ id }) => id),
  )
  const faults = new Map<number, string>()
  for (const { id, layerId } of styles) {
    const [raster, row] = [rasters.get(layerId), rows.get(id)]
    if (raster === undefined || row === undefined) continue
    try {
      rasterPaint(raster, row)
    } catch (error) {
      if (!isProblem(error, 'render/unsupported')) throw error
      faults.set(id, error.message)
    }
  }
  return faults
}
