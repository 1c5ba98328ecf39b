/** Folder of the numbered SQL files that create the server's tables. */
export const migrationsFolder = new URL('./migrations/', import.meta.url)
