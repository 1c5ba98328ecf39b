import { rowTable } from './row_table.ts'

/** A base map as it is kept. */
export interface BasemapLayerRow {
  readonly url: string | null
  readonly qms: string | null
  readonly copyright_text: string | null
  readonly copyright_url: string | null
  readonly z_min: number | null
  readonly z_max: number | null
}

/** Base maps by resource id. */
export const basemapLayers = rowTable<BasemapLayerRow>('basemap_layer', {
  url: 'text',
  qms: 'text',
  copyright_text: 'text',
  copyright_url: 'text',
  z_min: 'integer',
  z_max: 'integer',
})
