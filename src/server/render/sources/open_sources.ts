import { problem } from '../../../contract/problems.ts'
import type { Cls } from '../../../contract/registry.ts'
import type { PermissionSubject } from '../../../store/access/permission_subject.ts'
import type { RenderSource } from '../../../store/classes/render_source.ts'
import type { ServerContext } from '../../context.ts'
import { findHotSources } from '../../hot/hot_reads.ts'
import { notFound } from '../../resource/require_permission.ts'
import { type DrawChoice, wholeChoice } from '../draw_choice.ts'
import { basemapSources } from './basemap_source.ts'
import type { DrawnResource, DrawnSource, SourceKind } from './drawn_source.ts'
import { featureSources } from './feature_source.ts'
import { rasterSources } from './raster_source.ts'
import { wmsSources } from './wms_source.ts'

/** What can be drawn. */
const kinds: readonly SourceKind[] = [featureSources, rasterSources, wmsSources, basemapSources]

/** Tells whether resources of a class can be drawn. */
export function isDrawable(cls: Cls): boolean {
  return kinds.some(({ classes }) => classes.includes(cls))
}

/** Resources to open, from bottom to top. */
export interface SourceRequest {
  readonly ids: readonly number[]
  readonly caller: PermissionSubject
  /** Symbols and features to draw of some resources; others are drawn whole. */
  readonly choice?: DrawChoice | undefined
}

/**
 * Opens resources for drawing, with one read for all of a kind. One that is listed several times is opened once, and its
 * sources are the same object.
 *
 * @throws {Problem} resource/not-found, render/unsupported, request/invalid for a filter
 */
export async function openSources(
  context: ServerContext,
  { ids, caller, choice = wholeChoice }: SourceRequest,
): Promise<DrawnSource[]> {
  const listed = [...new Set(ids)]
  const found = await findHotSources(context, listed)
  const resources = listed.map((id) => choose(found.get(id) ?? throwNotFound(id), choice))
  const kindOf = new Map(resources.map((resource) => [resource.id, findKind(resource)]))
  for (const { id, filter } of resources) if (filter !== undefined) checkFilter(id, kindOf.get(id))
  const opened = new Map<number, DrawnSource>()
  for (const kind of kinds) {
    const own = resources.filter(({ id }) => kindOf.get(id) === kind)
    if (own.length === 0) continue
    const sources = await kind.open(context, own, caller)
    for (const [at, { id, keptTiles }] of own.entries())
      opened.set(id, { ...(sources[at] ?? throwNotFound(id)), keptTiles })
  }
  return ids.map((id) => opened.get(id) ?? throwNotFound(id))
}

function choose(resource: RenderSource, choice: DrawChoice): DrawnResource {
  const [symbols, filter] = [choice.symbols.get(resource.id), choice.filters.get(resource.id)]
  return {
    ...resource,
    ...(symbols === undefined ? {} : { symbols }),
    ...(filter === undefined ? {} : { filter }),
  }
}

function checkFilter(id: number, kind: SourceKind | undefined): void {
  if (kind === featureSources) return
  const name = `filter[${id}]`
  throw problem('request/invalid', `${name}: resource id = ${id} has no features.`, {
    data: { location: ['query', name] },
  })
}

function findKind({ id, cls }: RenderSource): SourceKind {
  const kind = kinds.find(({ classes }) => classes.includes(cls))
  if (kind !== undefined) return kind
  throw problem(
    'render/unsupported',
    `Resources of class ${cls} such as id = ${id} cannot be rendered yet.`,
    { resource: id },
  )
}

function throwNotFound(id: number): never {
  throw notFound(id)
}
