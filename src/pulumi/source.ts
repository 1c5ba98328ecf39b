import type { asset } from '@pulumi/pulumi'

/** Files and archives of Pulumi that data are read from. */
export type SourceAsset = asset.FileAsset | asset.StringAsset | asset.FileArchive | asset.AssetArchive

/** Data of a layer: the path of a file, relative to the program, or an asset or archive. */
export type Source = string | SourceAsset

/** A file: a path relative to the program, or an asset. */
export type SourceFile = string | asset.FileAsset | asset.StringAsset
