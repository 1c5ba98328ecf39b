import type { RouteDescriptor } from './route.ts'
import { attachmentRoutes } from './routes/attachment.ts'
import { authRoutes } from './routes/auth.ts'
import { batchRoutes } from './routes/batch.ts'
import { catalogEditorRoutes, catalogRoutes } from './routes/catalog.ts'
import { docsRoutes } from './routes/docs.ts'
import { featureRoutes } from './routes/feature.ts'
import { fileRoutes } from './routes/file.ts'
import { geodbRoutes } from './routes/geodb.ts'
import { identifyRoutes } from './routes/identify.ts'
import { instanceRoutes } from './routes/instance.ts'
import { inventoryRoutes } from './routes/inventory.ts'
import { journalRoutes } from './routes/journal.ts'
import { keptRoutes } from './routes/kept.ts'
import { ogcApiRoutes } from './routes/ogc_api.ts'
import { catalogPageRoutes, pageRoutes } from './routes/page.ts'
import { principalRoutes } from './routes/principal.ts'
import { rasterRoutes } from './routes/raster.ts'
import { renderRoutes } from './routes/render.ts'
import { resourceRoutes } from './routes/resource.ts'
import { tilejsonRoutes } from './routes/tilejson.ts'
import { uploadRoutes } from './routes/upload.ts'
import { wfsRoutes } from './routes/wfs.ts'
import { wmsRoutes } from './routes/wms.ts'
import { wmtsRoutes } from './routes/wmts.ts'

/** All HTTP operations, by name. */
export const routes = {
  ...instanceRoutes,
  ...authRoutes,
  ...principalRoutes,
  ...resourceRoutes,
  ...inventoryRoutes,
  ...batchRoutes,
  ...journalRoutes,
  ...keptRoutes,
  ...featureRoutes,
  ...identifyRoutes,
  ...attachmentRoutes,
  ...uploadRoutes,
  ...fileRoutes,
  ...geodbRoutes,
  ...rasterRoutes,
  ...renderRoutes,
  ...tilejsonRoutes,
  ...wfsRoutes,
  ...wmsRoutes,
  ...wmtsRoutes,
  ...ogcApiRoutes,
  ...catalogRoutes,
  ...catalogEditorRoutes,
  ...docsRoutes,
  ...pageRoutes,
  ...catalogPageRoutes,
} as const satisfies Record<string, RouteDescriptor>

/** Name of an operation. */
export type RouteName = keyof typeof routes

/** Names of all operations. */
export const routeNames = Object.keys(routes) as readonly RouteName[]

/** Returns an operation, with its general type. */
export function routeOf(name: RouteName): RouteDescriptor {
  return routes[name]
}

/** Name under which the list of routes has the address of the catalog: a path, or a URL. Absent without a catalog. */
export const catalogRoute = 'landform.catalog'

/**
 * Returns the response of the `route` operation, which describes the resource service: path with positional placeholders, then their names.
 * `{"resource.item": ["/api/resource/{0}", "id"]}`
 */
export function routeTemplates(): Record<string, string[]> {
  const templates: Record<string, string[]> = {}
  for (const name of routeNames) {
    const { route, path, otherRoutes = {}, service } = routeOf(name)
    if (service !== undefined) continue
    for (const [known, template] of [[route, path], ...Object.entries(otherRoutes)] as const)
      templates[known] ??= positional(template)
  }
  return templates
}

function positional(path: string): string[] {
  const names: string[] = []
  const template = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `{${names.push(name) - 1}}`)
  return [template, ...names]
}
