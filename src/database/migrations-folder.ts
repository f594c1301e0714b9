import { fileURLToPath } from 'node:url';

/** SQL files made by drizzle-kit, the same for PostgreSQL and the embedded database. */
export const MIGRATIONS = { migrationsFolder: fileURLToPath(new URL('./migrations', import.meta.url)) };
