import type { RouteName } from '../../contract/routes.ts'
import type { Handler } from '../http/handler.ts'
import { attachmentHandlers } from './attachment.ts'
import { authHandlers } from './auth.ts'
import { batchHandlers } from './batch.ts'
import { catalogHandlers } from './catalog.ts'
import { catalogEditorHandlers } from './catalog_editor.ts'
import { catalogPageHandlers } from './catalog_page.ts'
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
import { ogcApiHandlers } from './ogc_api.ts'
import { pageHandlers } from './page.ts'
import { principalHandlers } from './principal.ts'
import { rasterHandlers } from './raster.ts'
import { renderHandlers } from './render.ts'
import { resourceHandlers } from './resource.ts'
import { styleHandlers } from './style.ts'
import { tileCacheHandlers } from './tile_cache.ts'
import { tilejsonHandlers } from './tilejson.ts'
import { uploadHandlers } from './upload.ts'
import { webmapHandlers } from './webmap.ts'
import { wfsHandlers } from './wfs.ts'
import { wmsHandlers } from './wms.ts'
import { wmtsHandlers } from './wmts.ts'

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
