import { extname } from 'node:path'
import {
  type SourceFormatFacts,
  type SourceFormatName,
  sourceFormats,
} from '../../contract/source_formats.ts'
import type { GdalModule } from '../runner/gdal_module.ts'
import type { VectorJob } from '../runner/vector_job.ts'
import type { AnySourceLayer, SourceFile } from './source.ts'

/** A source format: its row of the contract, and how its files are recognized and opened. */
export interface SourceFormat extends SourceFormatFacts {
  readonly name: SourceFormatName
  /** Tells whether a file is of the format. */
  recognizes(look: FileLook): boolean
  /**
   * Opens the layers of a file.
   *
   * @throws {Problem} source/unreadable, request/invalid, files/full
   */
  open(file: SourceFile, opening: Opening): Promise<AnySourceLayer[]>
}

/** What a file is opened with. */
export interface Opening {
  readonly gdal: GdalModule
  readonly job: Pick<VectorJob, 'folder' | 'encoding'>
  /** Reports that the work goes on. */
  tick(): void
}

/** What formats are recognized by. */
export interface FileLook {
  /** The first bytes, each as a letter of ISO 8859-1. */
  readonly start: string
  /** The same without a byte order mark and leading white space. */
  readonly text: string
  /** Extension of the name in lower case, with the dot; empty where there is none. */
  readonly extension: string
  /** Reads the last bytes, each as a letter of ISO 8859-1. */
  readEnd(): string
}

/** Makes a source format from its name in the contract. */
export function defineSource(
  name: SourceFormatName,
  { recognizes, open }: Pick<SourceFormat, 'open'> & Partial<Pick<SourceFormat, 'recognizes'>>,
): SourceFormat {
  const facts: SourceFormatFacts = sourceFormats[name]
  return { ...facts, name, open, recognizes: recognizes ?? ((look) => hasExtension(facts, look)) }
}

/** Tells whether a file has an extension of a format. */
export function hasExtension(
  { extensions, sharedExtensions = [] }: SourceFormatFacts,
  { extension }: Pick<FileLook, 'extension'>,
): boolean {
  return extensions.includes(extension) || sharedExtensions.includes(extension)
}

/** Gives the extension of a file name in lower case; what follows the dot in "Roads 1.5" is not one. */
export function extensionOf(name: string): string {
  return /^\.[a-z]\w*$/.exec(extname(name).toLowerCase())?.[0] ?? ''
}
