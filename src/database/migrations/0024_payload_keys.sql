CREATE TABLE "payload_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"used_at" timestamp (3) with time zone NOT NULL
);
