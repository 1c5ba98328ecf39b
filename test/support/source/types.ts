import { faultAt, listNodes, type Source } from './source.ts'

/** Syntax that the compiler accepts but the project does not, with the reason. */
const refused = new Map([
  ['TSEnumDeclaration', 'declares an enum: use a union of literals'],
  ['TSAnyKeyword', 'uses any: use unknown and check it'],
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
