CREATE TABLE "storage_markers" (
	"name" text PRIMARY KEY NOT NULL,
	"id" text NOT NULL,
	"written_at" timestamp (3) with time zone
);
