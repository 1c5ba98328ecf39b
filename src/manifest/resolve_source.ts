import { showValue } from '../contract/describe.ts'
import type { ProblemCode } from '../contract/problems.ts'
import type { Issue } from '../core/issue.ts'
import { findAtPointer, type Pointer } from '../core/pointer.ts'
import type { Span } from '../core/span.ts'
import type { Includes } from '../document/included_files.ts'
import { redactValue } from '../document/redact.ts'
import { type Environment, resolveValues } from '../document/resolve_values.ts'
import { keySpanAt, spanAt, type YamlDocument } from '../document/yaml_document.ts'

/** One YAML document of a manifest, with its expressions replaced. */
export interface ManifestSource {
  readonly document: YamlDocument
  /** Absolute path of the folder the file lies in: sources of data are found from there. */
  readonly folder: string
  readonly value: unknown
  /** Whether it has escapes of characters by number, the only way to write what a file cannot hold as it is. */
  readonly hasEscapes: boolean
  /** By pointer, the text of values that an expression went into. */
  readonly expressions: ReadonlyMap<Pointer, string>
  /** By pointer, the files that values were taken from as a whole. */
  readonly taken: ReadonlyMap<Pointer, TakenFile>
}

/** A file whose text is a value. */
export interface TakenFile {
  /** As it is shown to people. */
  readonly file: string
  readonly text: string
}

/** What expressions are replaced by. */
export interface Surroundings {
  readonly env: Environment
  readonly files: Includes
  /** Gives a path as it is shown to people. */
  readonly showPath: (path: string) => string
}

/** Replaces a document's expressions; issues are those of the expressions. */
export function resolveSource(
  document: YamlDocument,
  folder: string,
  { env, files, showPath }: Surroundings,
): { readonly source: ManifestSource; readonly issues: readonly Issue[] } {
  const { value, issues, expressions, includedPaths: paths } = resolveValues(document, env, files)
  const taken = new Map<Pointer, TakenFile>()
  const hasEscapes = numbered.test(document.text)
  for (const [pointer, path] of paths) {
    const found = files.get(path)
    if (found !== undefined && 'text' in found)
      taken.set(pointer, { file: showPath(found.path), text: found.text })
  }
  return { source: { document, folder, value, hasEscapes, expressions, taken }, issues }
}

const numbered = /\\[0xuU]/

/** A fault to be reported at a pointer of a source. */
export interface SourceFault {
  readonly code: ProblemCode
  readonly pointer: Pointer
  readonly message: string
  readonly hint?: string | undefined
  readonly severity?: 'error' | 'warning'
  /** Whether the key or the value is at fault. */
  readonly at?: 'key' | 'value'
}

/** Makes an issue of a fault, with its place. */
export function issueAt(source: ManifestSource, fault: SourceFault): Issue {
  const { code, pointer, message, hint, severity = 'error', at = 'value' } = fault
  const span = at === 'key' ? keySpanAt(source.document, pointer) : spanAt(source.document, pointer)
  return { code, severity, message, span, pointer, ...(hint === undefined ? {} : { hint }) }
}

/** Shows the value at a pointer in a message; never a secret, never what a variable gave. */
export function showAt(source: ManifestSource, pointer: Pointer): string {
  return showValue(redactValue(findAtPointer(source.value, pointer), pointer, source.expressions))
}

/** Gives the place of the key at a pointer. */
export function keySpanOf(source: ManifestSource, pointer: Pointer): Span {
  return keySpanAt(source.document, pointer)
}
