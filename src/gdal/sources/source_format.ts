import { extname } from 'node:path'
import {
  type SourceFormatFacts,
  type SourceFormatName,
  sourceFormats,
} from '../../contract/formats/source_formats.ts'
import type { GdalModule } from '../runner/gdal_module.ts'
import type { VectorJob } from '../runner/vector_job.ts'
import type { AnySourceLayer, SourceFile } from './source.ts'

/** A source format: its entry in the contract, and how to recognize and open its files. */
export interface SourceFormat<Name extends SourceFormatName = SourceFormatName> extends SourceFormatFacts {
  readonly name: Name
  /** Tells whether a file has the format. */
  recognizes(probe: FileProbe): boolean
  /**
   * Opens the layers of a file.
   *
   * @throws {Problem} source/unreadable, request/invalid, files/full
   */
  open(file: SourceFile, opening: Opening): Promise<AnySourceLayer[]>
}

/** Options for opening a file. */
export interface Opening {
  /** Loaded at the first access. */
  readonly gdal: GdalModule
  readonly job: Pick<VectorJob, 'folder' | 'encoding'>
  /** Reports that the work goes on. */
  tick(): void
}

/** Start and name of a file, by which its format is recognized. */
export interface FileProbe {
  /** First bytes as ISO 8859-1. */
  readonly start: string
  /** First bytes without byte order mark and leading white space. */
  readonly text: string
  /** Extension in lower case, with the dot; empty if the name has none. */
  readonly extension: string
  /** Reads the last bytes as ISO 8859-1. */
  readEnd(): string
}

/** Creates a source format from its name in the contract. */
export function defineSource<Name extends SourceFormatName>(
  name: Name,
  { recognizes, open }: Pick<SourceFormat, 'open'> & Partial<Pick<SourceFormat, 'recognizes'>>,
): SourceFormat<Name> {
  const facts: SourceFormatFacts = sourceFormats[name]
  return { ...facts, name, open, recognizes: recognizes ?? ((probe) => hasExtension(facts, probe)) }
}

/** Tells whether a file has an extension of a format. */
export function hasExtension(
  { extensions, sharedExtensions = [] }: SourceFormatFacts,
  { extension }: Pick<FileProbe, 'extension'>,
): boolean {
  return extensions.includes(extension) || sharedExtensions.includes(extension)
}

/** Returns the extension of a file name in lower case. "Roads 1.5" has none. */
export function extensionOf(name: string): string {
  return /^\.[a-z]\w*$/.exec(extname(name).toLowerCase())?.[0] ?? ''
}
