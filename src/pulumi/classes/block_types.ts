// Printed from the contract by `npm run docs`. Do not edit.
import type { Source, SourceFile } from '../source.ts'

/** A file to load. */
export type DataSource = Source

/** A file to store. */
export type FileSource = SourceFile

/** A rule. */
export type Rule = {
  /** Whether the rule allows or denies. */
  readonly action: "allow" | "deny"
  /** User or group that the rule applies to. A keyname: guest, user:anna or group:editors. */
  readonly principal: string
  /** Exact class of the resources that the rule applies to; empty for all. */
  readonly identity?: "" | "resource" | "resource_group" | "webmap" | "vector_layer" | "geodb_layer" | "raster_layer" | "mapsrv_style" | "desk_vector_style" | "raster_style" | "geodb_connection" | "wmsclient_connection" | "wmsclient_layer" | "wmsserver_service" | "wfsserver_service" | "lookup_table" | "file_bucket" | "basemap_layer" | "baselayers" | "trackers_group" | "tracker" | "formbuilder_form" | "collector_project"
  readonly scope: ""
  readonly permission: ""
  /** Whether the rule applies to descendants too. */
  readonly propagate: boolean
} | {
  /** Whether the rule allows or denies. */
  readonly action: "allow" | "deny"
  /** User or group that the rule applies to. A keyname: guest, user:anna or group:editors. */
  readonly principal: string
  /** Exact class of the resources that the rule applies to; empty for all. */
  readonly identity?: "" | "resource" | "resource_group" | "webmap" | "vector_layer" | "geodb_layer" | "raster_layer" | "mapsrv_style" | "desk_vector_style" | "raster_style" | "geodb_connection" | "wmsclient_connection" | "wmsclient_layer" | "wmsserver_service" | "wfsserver_service" | "lookup_table" | "file_bucket" | "basemap_layer" | "baselayers" | "trackers_group" | "tracker" | "formbuilder_form" | "collector_project"
  readonly scope: "resource"
  readonly permission: "" | "read" | "create" | "update" | "delete" | "manage_children" | "change_permissions"
  /** Whether the rule applies to descendants too. */
  readonly propagate: boolean
} | {
  /** Whether the rule allows or denies. */
  readonly action: "allow" | "deny"
  /** User or group that the rule applies to. A keyname: guest, user:anna or group:editors. */
  readonly principal: string
  /** Exact class of the resources that the rule applies to; empty for all. */
  readonly identity?: "" | "resource" | "resource_group" | "webmap" | "vector_layer" | "geodb_layer" | "raster_layer" | "mapsrv_style" | "desk_vector_style" | "raster_style" | "geodb_connection" | "wmsclient_connection" | "wmsclient_layer" | "wmsserver_service" | "wfsserver_service" | "lookup_table" | "file_bucket" | "basemap_layer" | "baselayers" | "trackers_group" | "tracker" | "formbuilder_form" | "collector_project"
  readonly scope: "service"
  readonly permission: "" | "connect" | "configure"
  /** Whether the rule applies to descendants too. */
  readonly propagate: boolean
} | {
  /** Whether the rule allows or denies. */
  readonly action: "allow" | "deny"
  /** User or group that the rule applies to. A keyname: guest, user:anna or group:editors. */
  readonly principal: string
  /** Exact class of the resources that the rule applies to; empty for all. */
  readonly identity?: "" | "resource" | "resource_group" | "webmap" | "vector_layer" | "geodb_layer" | "raster_layer" | "mapsrv_style" | "desk_vector_style" | "raster_style" | "geodb_connection" | "wmsclient_connection" | "wmsclient_layer" | "wmsserver_service" | "wfsserver_service" | "lookup_table" | "file_bucket" | "basemap_layer" | "baselayers" | "trackers_group" | "tracker" | "formbuilder_form" | "collector_project"
  readonly scope: "datastruct"
  readonly permission: "" | "read" | "write"
  /** Whether the rule applies to descendants too. */
  readonly propagate: boolean
} | {
  /** Whether the rule allows or denies. */
  readonly action: "allow" | "deny"
  /** User or group that the rule applies to. A keyname: guest, user:anna or group:editors. */
  readonly principal: string
  /** Exact class of the resources that the rule applies to; empty for all. */
  readonly identity?: "" | "resource" | "resource_group" | "webmap" | "vector_layer" | "geodb_layer" | "raster_layer" | "mapsrv_style" | "desk_vector_style" | "raster_style" | "geodb_connection" | "wmsclient_connection" | "wmsclient_layer" | "wmsserver_service" | "wfsserver_service" | "lookup_table" | "file_bucket" | "basemap_layer" | "baselayers" | "trackers_group" | "tracker" | "formbuilder_form" | "collector_project"
  readonly scope: "connection"
  readonly permission: "" | "read" | "write" | "connect"
  /** Whether the rule applies to descendants too. */
  readonly propagate: boolean
} | {
  /** Whether the rule allows or denies. */
  readonly action: "allow" | "deny"
  /** User or group that the rule applies to. A keyname: guest, user:anna or group:editors. */
  readonly principal: string
  /** Exact class of the resources that the rule applies to; empty for all. */
  readonly identity?: "" | "resource" | "resource_group" | "webmap" | "vector_layer" | "geodb_layer" | "raster_layer" | "mapsrv_style" | "desk_vector_style" | "raster_style" | "geodb_connection" | "wmsclient_connection" | "wmsclient_layer" | "wmsserver_service" | "wfsserver_service" | "lookup_table" | "file_bucket" | "basemap_layer" | "baselayers" | "trackers_group" | "tracker" | "formbuilder_form" | "collector_project"
  readonly scope: "webmap"
  readonly permission: "" | "display"
  /** Whether the rule applies to descendants too. */
  readonly propagate: boolean
} | {
  /** Whether the rule allows or denies. */
  readonly action: "allow" | "deny"
  /** User or group that the rule applies to. A keyname: guest, user:anna or group:editors. */
  readonly principal: string
  /** Exact class of the resources that the rule applies to; empty for all. */
  readonly identity?: "" | "resource" | "resource_group" | "webmap" | "vector_layer" | "geodb_layer" | "raster_layer" | "mapsrv_style" | "desk_vector_style" | "raster_style" | "geodb_connection" | "wmsclient_connection" | "wmsclient_layer" | "wmsserver_service" | "wfsserver_service" | "lookup_table" | "file_bucket" | "basemap_layer" | "baselayers" | "trackers_group" | "tracker" | "formbuilder_form" | "collector_project"
  readonly scope: "data"
  readonly permission: "" | "read" | "write"
  /** Whether the rule applies to descendants too. */
  readonly propagate: boolean
} | {
  /** Whether the rule allows or denies. */
  readonly action: "allow" | "deny"
  /** User or group that the rule applies to. A keyname: guest, user:anna or group:editors. */
  readonly principal: string
  /** Exact class of the resources that the rule applies to; empty for all. */
  readonly identity?: "" | "resource" | "resource_group" | "webmap" | "vector_layer" | "geodb_layer" | "raster_layer" | "mapsrv_style" | "desk_vector_style" | "raster_style" | "geodb_connection" | "wmsclient_connection" | "wmsclient_layer" | "wmsserver_service" | "wfsserver_service" | "lookup_table" | "file_bucket" | "basemap_layer" | "baselayers" | "trackers_group" | "tracker" | "formbuilder_form" | "collector_project"
  readonly scope: "metadata"
  readonly permission: "" | "read" | "write"
  /** Whether the rule applies to descendants too. */
  readonly propagate: boolean
}

/** A webmap item. */
export type WebmapItem = {
  /** Type of the item. */
  readonly item_type: "layer"
  /** Name in the layer tree. */
  readonly display_name: string
  /** Style or layer to show. */
  readonly layer_style_id: string | {
    readonly id: number
  }
  /** Whether it is requested as one image or as tiles. */
  readonly layer_adapter?: "image" | "tile"
  /** Whether it is initially visible. */
  readonly layer_enabled?: boolean | null
  /** Whether its features can be identified with a click. */
  readonly layer_identifiable?: boolean
  /** Position in the draw order, if draw_order_enabled is true. */
  readonly draw_order_position?: number | null
  /** Minimum scale, as "1 : 10000". */
  readonly layer_min_scale_denom?: string | number | null
  /** Maximum scale, as "1 : 10000". */
  readonly layer_max_scale_denom?: string | number | null
  /** Transparency in percent. */
  readonly layer_transparency?: number | null
} | {
  /** Type of the item. */
  readonly item_type: "group"
  /** Name in the layer tree. */
  readonly display_name: string
  /** Whether it is initially expanded. */
  readonly group_expanded?: boolean | null
  /** Items, from top to bottom; at most 5000 in the whole tree, on at most 32 levels. */
  readonly children: readonly (WebmapItem)[]
}
