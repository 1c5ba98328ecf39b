import type { RouteName } from '../../contract/routes.ts'
import type { Handler } from '../http/handler.ts'
import { attachmentHandlers } from './attachment.ts'
import { authHandlers } from './auth.ts'
import { batchHandlers } from './batch.ts'
import { catalogHandlers } from './catalog/catalog.ts'
import { catalogEditorHandlers } from './catalog/catalog_editor.ts'
import { catalogPageHandlers } from './catalog/catalog_page.ts'
import { createDocsHandlers } from './docs.ts'
import { exportHandlers } from './export.ts'
import { featureHandlers } from './feature.ts'
import { fileHandlers } from './file.ts'
import { geodbHandlers } from './geodb.ts'
import { instanceHandlers } from './instance.ts'
import { inventoryHandlers } from './inventory.ts'
import { journalHandlers } from './journal.ts'
import { keptHandlers } from './kept.ts'
import { legendHandlers } from './legend.ts'
import { ogcApiHandlers } from './ogc/ogc_api.ts'
import { tilejsonHandlers } from './ogc/tilejson.ts'
import { wfsHandlers } from './ogc/wfs.ts'
import { wmsHandlers } from './ogc/wms.ts'
import { wmtsHandlers } from './ogc/wmts.ts'
import { pageHandlers } from './page.ts'
import { principalHandlers } from './principal.ts'
import { rasterHandlers } from './raster.ts'
import { renderHandlers } from './render.ts'
import { resourceHandlers } from './resource.ts'
import { styleHandlers } from './style.ts'
import { tileCacheHandlers } from './tile_cache.ts'
import { uploadHandlers } from './upload.ts'
import { webmapHandlers } from './webmap.ts'

/** Handlers of all routes. */
const handlers: { readonly [R in RouteName]: Handler<R> } = {
  ...instanceHandlers,
  ...createDocsHandlers((name) => Object.hasOwn(handlers, name)),
  ...authHandlers,
  ...principalHandlers,
  ...resourceHandlers,
  ...inventoryHandlers,
  ...batchHandlers,
  ...journalHandlers,
  ...keptHandlers,
  ...featureHandlers,
  ...attachmentHandlers,
  ...exportHandlers,
  ...renderHandlers,
  ...tileCacheHandlers,
  ...legendHandlers,
  ...styleHandlers,
  ...uploadHandlers,
  ...fileHandlers,
  ...geodbHandlers,
  ...rasterHandlers,
  ...webmapHandlers,
  ...tilejsonHandlers,
  ...wfsHandlers,
  ...wmsHandlers,
  ...wmtsHandlers,
  ...ogcApiHandlers,
  ...catalogHandlers,
  ...catalogEditorHandlers,
  ...pageHandlers,
  ...catalogPageHandlers,
}

/** Returns the handler of a route. */
export function handlerOf(name: RouteName): Handler<RouteName> {
  return handlers[name] as Handler<RouteName>
}
