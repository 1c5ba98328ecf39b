import { showValue } from '../contract/describe.ts'
import type { ProblemCode } from '../contract/problems.ts'
import type { Issue } from '../core/issue.ts'
import { findAtPointer, type Pointer } from '../core/pointer.ts'
import type { Span } from '../core/span.ts'
import { redactValue } from '../document/redact.ts'
import { type Environment, resolveValues } from '../document/resolve_values.ts'
import type { Includes } from '../document/yaml_files.ts'
import { keySpanAt, spanAt, type YamlDocument } from '../document/yaml_node.ts'

/** One YAML document of a manifest, with its expressions replaced. */
export interface ManifestSource {
  readonly document: YamlDocument
  /** Absolute path of the folder of the file; data sources are relative to it. */
  readonly folder: string
  readonly value: unknown
  /** Whether the text has numeric character escapes, the only way to write NUL and surrogates. */
  readonly hasEscapes: boolean
  /** Source text of values with expressions, by pointer. */
  readonly expressions: ReadonlyMap<Pointer, string>
  /** Included files by pointer, of values that consist of one file. */
  readonly included: ReadonlyMap<Pointer, IncludedFile>
}

/** An included file. */
export interface IncludedFile {
  /** Path as shown in messages. */
  readonly file: string
  readonly text: string
}

/** Environment variables and files that expressions refer to. */
export interface Surroundings {
  readonly env: Environment
  readonly files: Includes
  /** Returns a path as shown in messages. */
  readonly showPath: (path: string) => string
}

/** Resolves the expressions of a document, with their issues. */
export function resolveSource(
  document: YamlDocument,
  folder: string,
  { env, files, showPath }: Surroundings,
): { readonly source: ManifestSource; readonly issues: readonly Issue[] } {
  const { value, issues, expressions, includedPaths: paths } = resolveValues(document, env, files)
  const included = new Map<Pointer, IncludedFile>()
  const hasEscapes = numericEscape.test(document.text)
  for (const [pointer, path] of paths) {
    const found = files.get(path)
    if (found !== undefined && 'text' in found)
      included.set(pointer, { file: showPath(found.path), text: found.text })
  }
  return { source: { document, folder, value, hasEscapes, expressions, included }, issues }
}

const numericEscape = /\\[0xuU]/

/** A fault at a pointer of a source. */
export interface SourceFault {
  readonly code: ProblemCode
  readonly pointer: Pointer
  readonly message: string
  readonly hint?: string | undefined
  readonly severity?: 'error' | 'warning'
  /** Whether the span is that of the key or of the value. */
  readonly at?: 'key' | 'value'
}

/** Converts a fault to an issue with its span. */
export function issueAt(source: ManifestSource, fault: SourceFault): Issue {
  const { code, pointer, message, hint, severity = 'error', at = 'value' } = fault
  const span = at === 'key' ? keySpanAt(source.document, pointer) : spanAt(source.document, pointer)
  return { code, severity, message, span, pointer, ...(hint === undefined ? {} : { hint }) }
}

/** Formats the value at a pointer for messages; secrets and values of variables are redacted. */
export function showAt(source: ManifestSource, pointer: Pointer): string {
  return showValue(redactValue(findAtPointer(source.value, pointer), pointer, source.expressions))
}

/** Returns the span of the key at a pointer. */
export function keySpanOf(source: ManifestSource, pointer: Pointer): Span {
  return keySpanAt(source.document, pointer)
}
