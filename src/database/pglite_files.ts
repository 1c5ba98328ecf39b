import { fsyncSync } from 'node:fs'
import type { Extension } from '@electric-sql/pglite'

type FileOperation = (...operands: never[]) => number

/** Operations of Emscripten on open files. */
interface StreamOperations {
  read: FileOperation
  write: FileOperation
  fsync?: (stream: { readonly node: { readonly mode: number }; readonly nfd: number }) => number
}

/** The file system part of PGlite's WebAssembly module. */
interface FileModule {
  readonly FS: {
    isFile(mode: number): boolean
    readonly filesystems: {
      readonly NODEFS: { readonly stream_ops: StreamOperations }
      /** New files copy their operations from this table. */
      readonly MEMFS: { readonly ops_table: { readonly file: { readonly stream: StreamOperations } } }
    }
  }
}

/**
 * Patches the file systems of Emscripten before the database starts: `fsync` reaches the disk (Emscripten's own does
 * nothing), and each read and write calls back first.
 */
export function adaptFiles(onAccess: () => void): Extension {
  const adapt = ({ FS }: FileModule) => {
    const { NODEFS, MEMFS } = FS.filesystems
    NODEFS.stream_ops.fsync = ({ node, nfd }) => {
      if (FS.isFile(node.mode)) fsyncSync(nfd)
      return 0
    }
    for (const operations of [NODEFS.stream_ops, MEMFS.ops_table.file.stream]) {
      operations.read = notifyBefore(operations.read, onAccess)
      operations.write = notifyBefore(operations.write, onAccess)
    }
  }
  return {
    name: 'files',
    setup: async (_pglite, options: { preRun?: unknown[] }) => ({
      emscriptenOpts: { ...options, preRun: [...(options.preRun ?? []), adapt] },
    }),
  }
}

function notifyBefore(operation: FileOperation, onAccess: () => void): FileOperation {
  return (...operands) => {
    onAccess()
    return operation(...operands)
  }
}
