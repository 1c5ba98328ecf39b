import { maxStyleIssues, type WireStyleIssue } from '../../contract/bodies/style_issue.ts'
import { geometryParts } from '../../contract/geometry.ts'
import type { Cls } from '../../contract/registry.ts'
import type { Issue } from '../../core/issue.ts'
import type { Queryable } from '../../database/database.ts'
import { findPermittedIds } from '../../store/access/effective_permission.ts'
import { memberTable } from '../../store/classes/member_table.ts'
import { findRenderSources } from '../../store/classes/render_source.ts'
import { findLayers } from '../../store/layer/stored_layer.ts'
import { checkStyleText } from '../../style/check_style_text.ts'
import type { Caller } from '../auth/caller.ts'
import { findRasterStyleIssues } from './raster_style_issues.ts'

/** Part of an answer with the issues of a style. */
export interface StyleIssuesPart {
  readonly style_issues?: WireStyleIssue[]
}

/** A resource that a request wrote. */
export interface WrittenResource {
  readonly id: number
  readonly cls: Cls
}

/** Returns the issues of the style that a request wrote; empty for resources of other classes. */
export async function styleIssuesPart(
  tx: Queryable,
  caller: Caller,
  written: WrittenResource,
): Promise<StyleIssuesPart> {
  return (await findStyleIssues(tx, caller, [written])).get(written.id) ?? {}
}

/**
 * Returns the issues of the styles that a request wrote, and of those of rasters that it replaced, by written resource. Styles without issues, and resources of other
 * classes, are left out. Fields and geometries are checked if the caller may read those of the layer, which the issues name.
 */
export async function findStyleIssues(
  tx: Queryable,
  caller: Caller,
  written: readonly WrittenResource[],
): Promise<Map<number, StyleIssuesPart>> {
  const parts = new Map<number, StyleIssuesPart>()
  for (const [id, issues] of await findRasterStyleIssues(tx, written))
    parts.set(id, { style_issues: issues.slice(0, maxStyleIssues).map(wireIssue) })
  const ids = written
    .filter(({ cls }) => cls === 'mapsrv_style' || cls === 'desk_vector_style')
    .map(({ id }) => id)
  if (ids.length === 0) return parts
  const sources = await findRenderSources(tx, ids)
  const layerIds = [...sources.values()].flatMap(({ parentId }) => parentId ?? [])
  const permission = 'datastruct.read'
  const readableIds = await findPermittedIds(tx, caller, { ids: [...new Set(layerIds)], permission })
  const [xml, qml, layers] = [
    await memberTable('mapsrv_style').find(tx, ids),
    await memberTable('desk_vector_style').find(tx, ids),
    await findLayers(tx, [...readableIds]),
  ]
  for (const { id, parentId } of sources.values()) {
    const layer = layers.get(parentId ?? 0)
    const known = {
      fields: layer?.fields.map(({ keyname }) => keyname),
      family: layer && geometryParts(layer.geometryType).family,
    }
    const [mapserverText, qmlText] = [xml.get(id)?.xml, qml.get(id)?.qml]
    const issues = [
      ...(mapserverText === undefined ? [] : checkStyleText('mapserver', mapserverText, known)),
      ...(qmlText === undefined ? [] : checkStyleText('qml', qmlText, known)),
    ]
    if (issues.length > 0) parts.set(id, { style_issues: issues.slice(0, maxStyleIssues).map(wireIssue) })
  }
  return parts
}

function wireIssue({ code, message, span, hint }: Issue): WireStyleIssue {
  return {
    code,
    message,
    line: span?.line ?? 1,
    column: span?.column ?? 1,
    ...(hint === undefined ? {} : { hint }),
  }
}
