"""EvidenceDesk: answers from an organisation's own documents, each with the exact lines it came from."""
