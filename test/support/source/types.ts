import { faultAt, listNodes, type Source } from './source.ts'

/** What the compiler would let through and the project does not: syntax, and why. */
const refused = new Map([
  ['TSEnumDeclaration', 'declares an enum: use a union of literals'],
  ['TSAnyKeyword', 'says any: use unknown and look'],
])

/** Finds enums, `any` and abstract classes. */
export function checkTypes(source: Source): string[] {
  return listNodes(source).flatMap((node) => {
    const reason =
      refused.get(node.type) ?? (isAbstract(node) ? 'declares a base class: compose instead' : undefined)
    return reason === undefined ? [] : [faultAt(source, node.start, reason)]
  })
}

const isAbstract = (node: { readonly type: string }) => 'abstract' in node && node.abstract === true
