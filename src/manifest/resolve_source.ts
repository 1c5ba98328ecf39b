import type { ProblemCode } from '../contract/problems.ts'
import { showValue } from '../contract/schema/describe.ts'
import { isCredentialOutside } from '../contract/secrets.ts'
import type { Issue } from '../core/issue.ts'
import { findAtPointer, type Pointer } from '../core/pointer.ts'
import { formatSpan, type Span } from '../core/span.ts'
import { redactValue } from '../document/redact.ts'
import { type Environment, type ParameterValue, resolveValues } from '../document/resolve_values.ts'
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
  /** Pointers of values with expressions that could not be replaced, which have issues of their own. */
  readonly unresolved: ReadonlySet<Pointer>
  /** Included files by pointer, of values that consist of one file. */
  readonly included: ReadonlyMap<Pointer, IncludedFile>
  /** Source text of values with parameters, by pointer. */
  readonly parameters: ReadonlyMap<Pointer, string>
  /** Environment in which the expressions were replaced. */
  readonly surroundings: Surroundings
  /** The use of a fragment that the source is made of; absent for the documents of files. */
  readonly use?: FragmentUse
}

/** A use of a fragment. */
export interface FragmentUse {
  readonly fragment: string
  /** Key of the resource that the use is below. */
  readonly parent?: string
  /** Source with the use. */
  readonly source: ManifestSource
  /** Position of the use in its source. */
  readonly pointer: Pointer
  /** Only of a renamed use. */
  readonly former?: FormerUse
}

/** A use of a fragment as it was under its previous key. */
export interface FormerUse {
  /** Previous keys of its resources, by their pointers, where they depend on parameters. */
  readonly keys: ReadonlyMap<Pointer, string>
  /** Value of the source with the previous key as parameter, under the present keys. */
  readonly value: unknown
  /** Position of the previous key of the use. */
  readonly span: Span
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
  /** Parameters of a fragment. */
  readonly parameters?: ReadonlyMap<string, ParameterValue> | undefined
}

/** Resolves the expressions of a document, with their issues. */
export function resolveSource(
  document: YamlDocument,
  folder: string,
  { env, files, showPath, parameters }: Surroundings,
): { readonly source: ManifestSource; readonly issues: readonly Issue[] } {
  const options = { files, parameters, keeps: 'fragments', refuses: isCredentialOutside }
  const resolved = resolveValues(document, env, options)
  const { value, issues, expressions, includedPaths: paths, parameters: withParameters } = resolved
  const included = new Map<Pointer, IncludedFile>()
  const hasEscapes = numericEscape.test(document.text)
  for (const [pointer, path] of paths) {
    const found = files.get(path)
    if (found !== undefined && 'text' in found)
      included.set(pointer, { file: showPath(found.path), text: found.text })
  }
  const unresolved = new Set(issues.map(({ pointer = '' }) => pointer))
  const source = { document, folder, value, hasEscapes, expressions, unresolved, included }
  return {
    source: { ...source, parameters: withParameters, surroundings: { env, files, showPath } },
    issues,
  }
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
  const place = source.use === undefined ? '' : ` (${describeUse(source.use)})`
  return { code, severity, message: message + place, span, pointer, ...(hint === undefined ? {} : { hint }) }
}

/** Describes a use for messages: `fragment road, used at roads.yaml:12:7`. */
export function describeUse({ fragment, source, pointer }: FragmentUse): string {
  const outer = source.use === undefined ? '' : `, in ${describeUse(source.use)}`
  return `fragment ${fragment}, used at ${formatSpan(keySpanAt(source.document, pointer))}${outer}`
}

/** Formats the value at a pointer for messages; secrets and values of variables are redacted. */
export function showAt(source: ManifestSource, pointer: Pointer): string {
  return showValue(redactValue(findAtPointer(source.value, pointer), pointer, source.expressions))
}

/** Returns the span of the key at a pointer. */
export function keySpanOf(source: ManifestSource, pointer: Pointer): Span {
  return keySpanAt(source.document, pointer)
}
