import { gql } from 'graphql-request';

/*
 * Operations of the contract (docs/contract.md). Each selects only fields of the contract. Operations with `more` also select
 * fields from the service's schema.
 */

const UPLOAD = 'id status subStatus metadata filesize mimetype';
const ENHANCEMENT = 'id status filename';

export const CREATE_UPLOAD_FROM_URL = gql`
  mutation CreateUploadFromUrl($input: CreateUploadFromUrlInput!) {
    createUploadFromUrl(input: $input) { ${UPLOAD} }
  }
`;

export const CREATE_SIGNED_UPLOAD_URL = gql`
  mutation CreateSignedUploadUrl($input: CreateSignedUploadUrlInput!) {
    createSignedUploadUrl(input: $input) {
      uploadId
      uploadUrl
    }
  }
`;

export const COMPLETE_SIGNED_UPLOAD = gql`
  mutation CompleteSignedUpload($id: ID!) {
    completeSignedUpload(id: $id) { ${UPLOAD} }
  }
`;

export const uploadQuery = (more: readonly string[]): string => gql`
  query Upload($id: ID!) {
    upload(id: $id) { ${[UPLOAD, ...more].join(' ')} }
  }
`;

export const UPDATE_FILE_RETENTION = gql`
  mutation UpdateFileRetention($days: Int!) {
    updateFileRetention(days: $days) {
      uploadRetentionDays
    }
  }
`;

export const DELETE_UPLOADS = gql`
  mutation DeleteUploads($ids: [ID!]!) {
    deleteUploads(ids: $ids) {
      deletedUploadIds
    }
  }
`;

export const ANALYZE_PDF = gql`
  mutation AnalyzePdf($uploadId: ID!) {
    analyzePdf(uploadId: $uploadId) {
      success
    }
  }
`;

export const CREATE_ENHANCED_IMAGE = gql`
  mutation CreateEnhancedImage($uploadId: ID!, $input: CreateEnhancedImageInput!) {
    createEnhancedImage(uploadId: $uploadId, input: $input) {
      id
      status
    }
  }
`;

export const enhancedImageQuery = (more: readonly string[]): string => gql`
  query EnhancedImage($id: ID!) {
    enhancedImage(id: $id) { ${[ENHANCEMENT, ...more].join(' ')} }
  }
`;

export const CREDITS = gql`
  query Credits {
    credits {
      remainingCreditsThisPeriod
    }
  }
`;

export const SCHEMA_FIELDS = gql`
  query SchemaFields {
    upload: __type(name: "Upload") {
      fields {
        name
      }
    }
    enhancedImage: __type(name: "EnhancedImage") {
      fields {
        name
      }
    }
    parameters: __type(name: "EnhancedImageParameters") {
      fields {
        name
      }
    }
    pdfOptions: __type(name: "PdfOptions") {
      fields {
        name
      }
    }
  }
`;

export const enhancementsOfUploadQuery = (more: readonly string[]): string => gql`
  query EnhancementsOfUpload($id: ID!) {
    upload(id: $id) {
      enhancedImages { ${['id', 'status', ...more].join(' ')} }
    }
  }
`;
